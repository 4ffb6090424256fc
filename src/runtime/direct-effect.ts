/**
 * Effects that can also start without a fiber, for work done thousands of times per second: suspending and resuming a
 * fiber costs more than a whole command. Owns these effects and how they start. Run as effects, they behave like any
 * other, so each rule has one implementation.
 */
import { Effect, Effectable, Exit, type Fiber } from "effect"

/** Called once with the exit. */
export type Done<A, E> = (exit: Exit.Exit<A, E>) => void

/** Starts the work. `done` is called at most once, maybe within this call. The returned function cancels the wait. */
export type Begin<A, E> = (done: Done<A, E>) => (() => void) | undefined

/** Runs an effect in a fiber of its own. */
export type Fork = <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

/** An effect that can start without a fiber. */
abstract class Direct<A, E> extends Effectable.Class<A, E> {
  abstract begin(done: Done<A, E>, fork: Fork): (() => void) | undefined
}

class Awaited<A, E> extends Direct<A, E> {
  private readonly work: Begin<A, E>
  constructor(work: Begin<A, E>) {
    super()
    this.work = work
  }
  asEffect(): Effect.Effect<A, E> {
    return Effect.callback((resume) => {
      const giveUp = this.work(resume)
      return giveUp === undefined ? undefined : Effect.sync(giveUp)
    })
  }
  begin(done: Done<A, E>): (() => void) | undefined {
    return wait(this.work, done)
  }
}

class Deferred<A, E> extends Direct<A, E> {
  private readonly make: () => Effect.Effect<A, E>
  constructor(make: () => Effect.Effect<A, E>) {
    super()
    this.make = make
  }
  asEffect(): Effect.Effect<A, E> {
    return Effect.suspend(this.make)
  }
  begin(done: Done<A, E>, fork: Fork): (() => void) | undefined {
    return begin(made(this.make), fork, done)
  }
}

class Mapped<A, B, E> extends Direct<B, E> {
  private readonly of: Effect.Effect<A, E>
  private readonly change: (value: A) => B
  constructor(of: Effect.Effect<A, E>, change: (value: A) => B) {
    super()
    this.of = of
    this.change = change
  }
  asEffect(): Effect.Effect<B, E> {
    return Effect.map(this.of, this.change)
  }
  begin(done: Done<B, E>, fork: Fork): (() => void) | undefined {
    return begin(this.of, fork, (exit) =>
      done(Exit.isSuccess(exit) ? attempt(() => Exit.succeed(this.change(exit.value))) : (exit as Exit.Exit<never, E>))
    )
  }
}

class Chained<A, B, E, F> extends Direct<B, E | F> {
  private readonly of: Effect.Effect<A, E>
  private readonly next: (value: A) => Effect.Effect<B, F>
  constructor(of: Effect.Effect<A, E>, next: (value: A) => Effect.Effect<B, F>) {
    super()
    this.of = of
    this.next = next
  }
  asEffect(): Effect.Effect<B, E | F> {
    return Effect.flatMap(this.of, this.next)
  }
  begin(done: Done<B, E | F>, fork: Fork): (() => void) | undefined {
    return follow<A, B, E | F>(this.of, this.next, fork, done)
  }
}

/** Waits for one callback. */
export const awaited = <A, E = never>(begin: Begin<A, E>): Effect.Effect<A, E> => new Awaited(begin)

/** Makes the effect only when it is run. */
export const deferred = <A, E>(make: () => Effect.Effect<A, E>): Effect.Effect<A, E> => new Deferred(make)

/** Maps the result of another effect. */
export const mapped = <A, B, E>(of: Effect.Effect<A, E>, change: (value: A) => B): Effect.Effect<B, E> =>
  new Mapped(of, change)

/** Continues with an effect that depends on another's result. */
export const chained = <A, B, E, F>(
  of: Effect.Effect<A, E>,
  next: (value: A) => Effect.Effect<B, F>
): Effect.Effect<B, E | F> => new Chained(of, next)

/** A throw is a defect, as in a fiber. */
const attempt = <A, E>(work: () => Exit.Exit<A, E>): Exit.Exit<A, E> => {
  try {
    return work()
  } catch (error) {
    return Exit.die(error)
  }
}

const made = <A, E>(make: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  try {
    return make()
  } catch (error) {
    return Exit.die(error)
  }
}

const wait = <A, E>(work: Begin<A, E>, done: Done<A, E>): (() => void) | undefined => {
  let over = false
  const once: Done<A, E> = (exit) => {
    if (over) return
    over = true
    done(exit)
  }
  try {
    return work(once)
  } catch (error) {
    if (over) throw error // thrown by who was told
    once(Exit.die(error))
    return undefined
  }
}

/** Runs one after the other; after a cancellation nothing follows. */
const follow = <A, B, E>(
  of: Effect.Effect<A, E>,
  next: (value: A) => Effect.Effect<B, E>,
  fork: Fork,
  done: Done<B, E>
): (() => void) | undefined => {
  let [followed, over, givenUp] = [false, false, false]
  let giveUp: (() => void) | undefined
  const told: Done<B, E> = (exit) => {
    over = true
    done(exit)
  }
  const first = begin(of, fork, (exit) => {
    followed = true
    if (Exit.isFailure(exit)) return told(exit as Exit.Exit<never, E>)
    if (givenUp) return
    const after = made(() => next(exit.value))
    giveUp = begin(after, fork, told)
  })
  if (!followed) giveUp = first
  if (over) return undefined
  return () => {
    givenUp = true
    giveUp?.()
  }
}

/**
 * Starts an effect, in a fiber only when it needs one. `done` is called within this call when possible. The returned
 * function cancels the wait: `done` is then called with an interruption, or never.
 */
export const begin = <A, E>(effect: Effect.Effect<A, E>, fork: Fork, done: Done<A, E>): (() => void) | undefined => {
  if (effect instanceof Direct) return (effect as Direct<A, E>).begin(done, fork)
  if (Exit.isExit(effect)) {
    done(effect as Exit.Exit<A, E>)
    return undefined
  }
  const fiber = fork(effect)
  const now = fiber.pollUnsafe()
  if (now !== undefined) {
    done(now)
    return undefined
  }
  fiber.addObserver(done)
  return () => fiber.interruptUnsafe()
}
