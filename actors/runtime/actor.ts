/**
 * The only loop in the system: a key, a bounded mailbox, private state, one fiber. Owns the turn: a pure `decide` says
 * what to do, `perform` does it, one message after the other. An idle actor takes its turn inside `tell` (a mailbox
 * round trip costs 4 µs); what must be awaited runs in its fiber while further messages gather. Knows no domain and
 * restarts nothing: every ending goes to its overseer (supervisor.ts).
 *
 * `decide` has no effect outside its own state. It may change that state in place and give the same object back: a copy
 * per frame would be the largest cost of the socket path.
 */
import { Effect, Exit, type Fiber } from "effect"

/** The kinds of actors. Each has a restart rule and a residency cap in supervisor.ts. */
export type ActorKind = "daemon" | "subscriber" | "bucket"

/** What a message leads to: the next state, and what is to be done, in order. */
export interface Turn<S, A> {
  readonly state: S
  readonly actions: ReadonlyArray<A>
}

/** Nothing when the action was done at once; otherwise what is to be awaited. */
export type Performed =
  // biome-ignore lint/suspicious/noConfusingVoidType: an action that is done at once returns nothing
  void | Effect.Effect<unknown, unknown>

/** What all actors of one kind share. Build it once, not per actor. */
export interface Behaviour<S, M, A> {
  readonly kind: ActorKind
  /** Messages that wait; beyond, `tell` answers false. */
  readonly mailboxMax: number
  /** Told first at every start, also after a crash. */
  readonly opening?: M
  /** Says what a message leads to. No effects: the same state and message give the same turn. */
  readonly decide: (state: S, message: M) => Turn<S, A>
  /** Does one action. An Effect given back is awaited before anything else happens; its failure is a crash. */
  readonly perform: (action: A, state: S, self: Actor<M>) => Performed
  /**
   * Called once when the actor is gone for good; never between a crash and its restart. `unread` is what it was told
   * and had not finished: the message it crashed on, then those that waited.
   */
  readonly ended?: (state: S, exit: Exit.Exit<unknown, unknown>, self: Actor<M>, unread: ReadonlyArray<M>) => void
}

/** An actor as everyone else sees it. */
export interface Actor<M> {
  readonly kind: ActorKind
  readonly key: string
  /** Hands over a message; false when the mailbox is full or the actor is gone. Never waits, never throws. */
  readonly tell: (message: M) => boolean
  /** Leaves when nothing waits (passivation): out of the map first, then stopped. False when messages wait. */
  readonly leave: () => boolean
  /** Ends it now, also in mid-work. Not a crash: it is not restarted. */
  readonly kill: () => void
  /** Whether it has ended. */
  readonly gone: boolean
}

/** Who starts fibers for an actor and is told of its ending. supervisor.ts is the only one. */
export interface ActorHost {
  readonly fork: (work: Effect.Effect<unknown, unknown>) => Fiber.Fiber<unknown, unknown>
  readonly leaving: (actor: ActorCell<never, never, never>) => void
  readonly ended: (actor: ActorCell<never, never, never>, exit: Exit.Exit<unknown, unknown>) => void
}

const nothing: ReadonlyArray<never> = []

/** The actor itself. Only the supervisor makes one. */
export class ActorCell<S, M, A> implements Actor<M> {
  readonly key: string
  readonly behaviour: Behaviour<S, M, A>
  readonly overseer: ActorHost
  readonly start: () => S
  readonly resident: boolean
  /** For the supervisor: crashes in a row, and when this life began. */
  streak = 0
  startedAt = 0
  gone = false
  state: S
  private mailbox: Array<M> | undefined
  /** What the turn under way is about. */
  private current: M | undefined
  private actions: ReadonlyArray<A> = nothing
  private at = 0
  /** True from a message until all it led to is done, and while a restart is awaited. */
  private busy = true
  private awaited: Effect.Effect<unknown, unknown> | undefined
  private fiber: Fiber.Fiber<unknown, unknown> | undefined
  private wake: ((effect: Effect.Effect<void>) => void) | undefined

  constructor(overseer: ActorHost, behaviour: Behaviour<S, M, A>, key: string, start: () => S, resident: boolean) {
    this.overseer = overseer
    this.behaviour = behaviour
    this.key = key
    this.start = start
    this.resident = resident
    this.state = start()
  }

  get kind(): ActorKind {
    return this.behaviour.kind
  }

  /** Messages waiting. */
  get waiting(): number {
    return this.mailbox?.length ?? 0
  }

  /** Begins a life: the first, or the next after a crash. Waiting messages are kept, the one that crashed is not. */
  open(): void {
    if (this.resident) this.launch()
    const { opening } = this.behaviour
    if (opening !== undefined) {
      this.mailbox ??= []
      this.mailbox.unshift(opening)
    }
    this.turn()
  }

  /** Prepares the state of the next life; messages gather until `open`. */
  reset(): void {
    this.state = this.start()
    this.actions = nothing
    this.at = 0
    this.current = undefined
    this.awaited = undefined
    this.busy = true
  }

  tell(message: M): boolean {
    if (this.gone) return false
    if (!this.busy) {
      this.busy = true
      this.turn(message)
      return true
    }
    this.mailbox ??= []
    if (this.mailbox.length >= this.behaviour.mailboxMax) return false
    this.mailbox.push(message)
    return true
  }

  leave(): boolean {
    if (this.gone) return true
    if (this.waiting > 0) return false
    this.current = undefined
    this.overseer.leaving(this as never)
    this.finish(Exit.void)
    return true
  }

  kill(): void {
    if (this.gone) return
    this.overseer.leaving(this as never)
    this.finish(Exit.interrupt())
  }

  /** Ends for good, telling the behaviour once. */
  finish(exit: Exit.Exit<unknown, unknown>): void {
    if (this.gone) return
    this.gone = true
    const unread = this.unread()
    this.mailbox = undefined
    this.current = undefined
    this.actions = nothing
    this.at = 0
    const fiber = this.fiber
    this.fiber = undefined
    this.wake = undefined
    fiber?.interruptUnsafe()
    this.behaviour.ended?.(this.state, exit, this, unread)
  }

  private unread(): ReadonlyArray<M> {
    const waiting = this.mailbox ?? nothing
    return this.current === undefined ? waiting : [this.current, ...waiting]
  }

  /** One turn in the caller's tick; what must be awaited goes to the fiber. */
  private turn(message?: M): void {
    try {
      if (message !== undefined) this.take(message)
      this.awaited = this.advance()
    } catch (defect) {
      this.crash(Exit.die(defect))
      return
    }
    if (this.awaited === undefined) this.busy = false
    else if (this.wake !== undefined) this.rouse()
    else if (this.fiber === undefined) this.launch()
  }

  private rouse(): void {
    const { wake } = this
    this.wake = undefined
    wake?.(Effect.void)
  }

  private take(message: M): void {
    this.current = message
    const turn = this.behaviour.decide(this.state, message)
    this.state = turn.state
    this.actions = turn.actions
    this.at = 0
  }

  /** Does all that needs no waiting; gives back the first that does. */
  private advance(): Effect.Effect<unknown, unknown> | undefined {
    for (;;) {
      while (this.at < this.actions.length) {
        const awaited = this.behaviour.perform(this.actions[this.at++]!, this.state, this)
        if (awaited !== undefined) return awaited
      }
      // Kept, what was done would outlive the young generation in every idle actor and be collected dearly.
      this.current = undefined
      this.actions = nothing
      this.at = 0
      const next = this.mailbox?.shift()
      if (next === undefined) return undefined
      this.take(next)
    }
  }

  /** The fiber: works while there is something to await, then parks (resident) or ends (dormant). */
  private launch(): void {
    const fiber = this.overseer.fork(this.resident ? Effect.forever(Effect.andThen(this.parked, this.work)) : this.work)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) this.settle(undefined, exit)
    else if (this.gone) fiber.interruptUnsafe()
    else {
      this.fiber = fiber
      fiber.addObserver((exit) => this.settle(fiber, exit))
    }
  }

  private get parked(): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.awaited === undefined) this.wake = resume
      else resume(Effect.void)
    })
  }

  private get work(): Effect.Effect<void, unknown> {
    return Effect.andThen(
      Effect.whileLoop({
        while: () => this.awaited !== undefined,
        body: () => this.awaited!,
        step: () => {
          this.awaited = this.gone ? undefined : this.advance()
        }
      }),
      Effect.sync(() => {
        this.busy = false
      })
    )
  }

  private settle(fiber: Fiber.Fiber<unknown, unknown> | undefined, exit: Exit.Exit<unknown, unknown>): void {
    if (this.gone || this.fiber !== fiber) return
    this.fiber = undefined
    if (Exit.isFailure(exit)) this.crash(exit)
    // the scheduler may let a message in between the last step of a dormant actor's fiber and its end
    else if (this.awaited !== undefined) this.launch()
  }

  private crash(exit: Exit.Exit<unknown, unknown>): void {
    if (this.gone) return
    const fiber = this.fiber
    this.fiber = undefined
    this.wake = undefined
    this.awaited = undefined
    this.busy = true
    fiber?.interruptUnsafe()
    this.overseer.ended(this as never, exit)
  }
}
