/**
 * An actor: a key, a bounded mailbox, private state and at most one fiber. Owns the message loop: the pure `decide`
 * returns actions and `perform` runs them, one message at a time. An idle actor handles a message inside `tell`,
 * because a mailbox round trip costs 4 µs. An effect runs in the actor's fiber while messages queue. Knows no domain
 * and never restarts itself: it reports every exit to its host (supervisor.ts).
 *
 * `decide` changes nothing outside the state. It may change the state in place and return the same object: one copy
 * per frame would be the largest cost of the socket path.
 */
import { Effect, Exit, type Fiber } from "effect"

/** The kinds of actors. supervisor.ts holds the restart rule of each; limits.ts holds the cap. */
export type ActorKind = "daemon" | "subscriber" | "bucket"

/** The result of one message: the next state, and the actions in order. */
export interface Turn<S, A> {
  readonly state: S
  readonly actions: ReadonlyArray<A>
}

/** Undefined when the action completed synchronously; otherwise the effect to await. */
type ActionResult =
  // biome-ignore lint/suspicious/noConfusingVoidType: a synchronous action returns nothing
  void | Effect.Effect<unknown, unknown>

/** What all actors of one kind share. Build it once per kind. */
export interface Behaviour<S, M, A> {
  readonly kind: ActorKind
  /** Capacity of the mailbox. `tell` returns false when it is full. */
  readonly mailboxMax: number
  /** The first message of every start, also after a crash. */
  readonly opening?: M
  /** Pure: the same state and message give the same turn. */
  readonly decide: (state: S, message: M) => Turn<S, A>
  /** Runs one action. The actor awaits a returned Effect before it goes on. A failure of the Effect is a crash. */
  readonly perform: (action: A, state: S, self: Actor<M>) => ActionResult
  /**
   * Called once, at the final exit and never between a crash and its restart. `unread` holds the unfinished messages:
   * the current message, then the mailbox.
   */
  readonly ended?: (state: S, exit: Exit.Exit<unknown, unknown>, self: Actor<M>, unread: ReadonlyArray<M>) => void
}

/** The handle of an actor for its callers. */
export interface Actor<M> {
  readonly kind: ActorKind
  readonly key: string
  /** Delivers a message. Returns false when the mailbox is full or the actor has ended. Never waits, never throws. */
  readonly tell: (message: M) => boolean
  /** Passivation: the supervisor removes the actor, then the actor stops. Returns false when messages wait. */
  readonly leave: () => boolean
  /** Ends the actor now and interrupts its work. It is not a crash, and no restart follows. */
  readonly kill: () => void
  /** Whether the actor has ended. */
  readonly gone: boolean
}

/** Forks the fibers of an actor and receives its exit. Only supervisor.ts implements it. */
export interface ActorHost {
  readonly fork: (work: Effect.Effect<unknown, unknown>) => Fiber.Fiber<unknown, unknown>
  readonly leaving: (actor: ActorCell<never, never, never>) => void
  readonly ended: (actor: ActorCell<never, never, never>, exit: Exit.Exit<unknown, unknown>) => void
}

const nothing: ReadonlyArray<never> = []

/** The implementation of an actor. Only the supervisor constructs it. */
export class ActorCell<S, M, A> implements Actor<M> {
  readonly key: string
  readonly behaviour: Behaviour<S, M, A>
  readonly host: ActorHost
  readonly start: () => S
  readonly resident: boolean
  /** For the supervisor: consecutive crashes, and the time of the last start. */
  streak = 0
  startedAt = 0
  gone = false
  state: S
  private mailbox: Array<M> | undefined
  /** The message of the current turn. */
  private current: M | undefined
  private actions: ReadonlyArray<A> = nothing
  private nextAction = 0
  /** True while a turn runs and while a restart is pending. */
  private busy = true
  private pendingEffect: Effect.Effect<unknown, unknown> | undefined
  private fiber: Fiber.Fiber<unknown, unknown> | undefined
  private wake: ((effect: Effect.Effect<void>) => void) | undefined

  constructor(host: ActorHost, behaviour: Behaviour<S, M, A>, key: string, start: () => S, resident: boolean) {
    this.host = host
    this.behaviour = behaviour
    this.key = key
    this.start = start
    this.resident = resident
    this.state = start()
  }

  get kind(): ActorKind {
    return this.behaviour.kind
  }

  /** Number of messages in the mailbox. */
  get waiting(): number {
    return this.mailbox?.length ?? 0
  }

  /** Starts or restarts the actor. The mailbox survives a restart; the message that crashed the actor does not. */
  open(): void {
    if (this.resident) this.launch()
    const { opening } = this.behaviour
    if (opening !== undefined) {
      this.mailbox ??= []
      this.mailbox.unshift(opening)
    }
    this.turn()
  }

  /** Prepares the state for a restart. Messages queue until `open`. */
  reset(): void {
    this.state = this.start()
    this.actions = nothing
    this.nextAction = 0
    this.current = undefined
    this.pendingEffect = undefined
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
    this.host.leaving(this as never)
    this.finish(Exit.void)
    return true
  }

  kill(): void {
    if (this.gone) return
    this.host.leaving(this as never)
    this.finish(Exit.interrupt())
  }

  /** Ends the actor for good and calls `ended` once. */
  finish(exit: Exit.Exit<unknown, unknown>): void {
    if (this.gone) return
    this.gone = true
    const unread = this.unread()
    this.mailbox = undefined
    this.current = undefined
    this.actions = nothing
    this.nextAction = 0
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

  /** Takes one turn in the caller's tick, and passes an effect to the fiber. */
  private turn(message?: M): void {
    try {
      if (message !== undefined) this.take(message)
      this.pendingEffect = this.advance()
    } catch (defect) {
      this.crash(Exit.die(defect))
      return
    }
    if (this.pendingEffect === undefined) this.busy = false
    else if (this.wake !== undefined) this.wakeFiber()
    else if (this.fiber === undefined) this.launch()
  }

  private wakeFiber(): void {
    const { wake } = this
    this.wake = undefined
    wake?.(Effect.void)
  }

  private take(message: M): void {
    this.current = message
    const turn = this.behaviour.decide(this.state, message)
    this.state = turn.state
    this.actions = turn.actions
    this.nextAction = 0
  }

  /** Runs actions and queued messages until an effect must be awaited, and returns that effect. */
  private advance(): Effect.Effect<unknown, unknown> | undefined {
    for (;;) {
      while (this.nextAction < this.actions.length) {
        const pendingEffect = this.behaviour.perform(this.actions[this.nextAction++]!, this.state, this)
        if (pendingEffect !== undefined) return pendingEffect
      }
      // An idle actor would otherwise promote these objects to the old generation, where collection is expensive.
      this.current = undefined
      this.actions = nothing
      this.nextAction = 0
      const next = this.mailbox?.shift()
      if (next === undefined) return undefined
      this.take(next)
    }
  }

  /** Forks the fiber. It awaits effects, then parks (resident) or ends (dormant). */
  private launch(): void {
    const fiber = this.host.fork(this.resident ? Effect.forever(Effect.andThen(this.park, this.work)) : this.work)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) this.settle(undefined, exit)
    else if (this.gone) fiber.interruptUnsafe()
    else {
      this.fiber = fiber
      fiber.addObserver((exit) => this.settle(fiber, exit))
    }
  }

  private get park(): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.pendingEffect === undefined) this.wake = resume
      else resume(Effect.void)
    })
  }

  private get work(): Effect.Effect<void, unknown> {
    return Effect.andThen(
      Effect.whileLoop({
        while: () => this.pendingEffect !== undefined,
        body: () => this.pendingEffect!,
        step: () => {
          this.pendingEffect = this.gone ? undefined : this.advance()
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
    // a message may arrive between the last step of a dormant actor's fiber and the fiber's exit
    else if (this.pendingEffect !== undefined) this.launch()
  }

  private crash(exit: Exit.Exit<unknown, unknown>): void {
    if (this.gone) return
    const fiber = this.fiber
    this.fiber = undefined
    this.wake = undefined
    this.pendingEffect = undefined
    this.busy = true
    fiber?.interruptUnsafe()
    this.host.ended(this as never, exit)
  }
}
