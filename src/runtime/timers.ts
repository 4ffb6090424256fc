/**
 * One timer wheel for every wait: silence, deadlines, grace. Owns a slot per tick and one fiber that sleeps to the next
 * slot on Effect's Clock (virtual in tests). A timer fires up to a tick late, never early. Its callback must return at
 * once.
 */
import { Clock, Context, Effect, type Fiber, Layer } from "effect"
import { wheelTickMillis, wheelTimersMax } from "../limits.ts"
import { count } from "./metrics.ts"
import { monotonicMillis } from "./monotonic.ts"

/** A timer that is set. */
export interface Timer {
  /** Removes the timer; does nothing when it has fired. */
  readonly clear: () => void
}

export class Timers extends Context.Service<
  Timers,
  {
    /** Calls `fire` after so many milliseconds, once. Throws when the wheel is full. */
    readonly after: (millis: number, fire: () => void) => Timer
    /** Epoch milliseconds. This clock can be set: measure durations with `monotonic`. */
    readonly now: () => number
    /** Monotonic milliseconds, for durations. The timers use it. */
    readonly monotonic: () => number
    /** Timers that are set. */
    readonly size: () => number
  }
>()("hub/Timers") {
  static readonly layer = Layer.effect(Timers)(Effect.suspend(() => make))
}

/** A timer is a link in its slot's ring, so that removing it takes constant time. */
class Link implements Timer {
  next: Link = this
  previous: Link = this
  readonly fire: () => void
  private readonly timers: Slots | undefined

  constructor(timers: Slots | undefined, fire: () => void) {
    this.timers = timers
    this.fire = fire
  }

  clear(): void {
    if (this.next === this) return
    this.unlink()
    if (this.timers !== undefined) this.timers.size--
  }

  unlink(): void {
    this.previous.next = this.next
    this.next.previous = this.previous
    this.next = this
    this.previous = this
  }

  insertBefore(end: Link): void {
    this.previous = end.previous
    this.next = end
    end.previous.next = this
    end.previous = this
  }
}

const never = (): void => {}

/** The slots by tick, and the ticks in use as a heap, soonest first. Reads no clock. */
export class Slots {
  size = 0
  private readonly slots = new Map<number, Link>()
  private readonly heap: Array<number> = []

  /** Adds a timer. */
  add(dueAt: number, fire: () => void): Timer {
    if (this.size >= wheelTimersMax) throw new Error("the wheel is full")
    const tick = Math.ceil(dueAt / wheelTickMillis)
    let ring = this.slots.get(tick)
    if (ring === undefined) {
      ring = new Link(undefined, never)
      this.slots.set(tick, ring)
      this.push(tick)
    }
    const link = new Link(this, fire)
    link.insertBefore(ring)
    this.size++
    return link
  }

  /** When the next slot is due; undefined when there is none. Removes empty slots on the way. */
  nextAt(): number | undefined {
    for (let tick = this.heap[0]; tick !== undefined; tick = this.heap[0]) {
      const ring = this.slots.get(tick)!
      if (ring.next !== ring) return tick * wheelTickMillis
      this.pop()
    }
    return undefined
  }

  /** Removes and returns the next timer that is due. */
  takeDue(now: number): (() => void) | undefined {
    const at = this.nextAt()
    if (at === undefined || at > now) return undefined
    const link = this.slots.get(this.heap[0]!)!.next
    link.unlink()
    this.size--
    return link.fire
  }

  private push(tick: number): void {
    const { heap } = this
    let at = heap.length
    heap.push(tick)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (heap[parent]! <= tick) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = tick
  }

  private pop(): void {
    const { heap } = this
    this.slots.delete(heap[0]!)
    const last = heap.pop()!
    const { length } = heap
    if (length === 0) return
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= length) break
      if (child + 1 < length && heap[child + 1]! < heap[child]!) child++
      if (heap[child]! >= last) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
  }
}

const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const slots = new Slots()
  let sleeper: { readonly until: number; readonly fiber: Fiber.Fiber<unknown> } | undefined
  let firing = false
  let closed = false

  const fireDue = (): void => {
    firing = true
    for (let fire = slots.takeDue(monotonicMillis(clock)); fire !== undefined; ) {
      try {
        fire()
      } catch (defect) {
        count("hub_defects_total", "timers")
        run(Effect.logError("a timer threw", defect))
      }
      fire = slots.takeDue(monotonicMillis(clock))
    }
    firing = false
  }

  /** Sleeps to the next slot; an earlier one replaces the sleeping fiber. */
  const arm = (): void => {
    const until = slots.nextAt()
    if (firing || closed || until === undefined || (sleeper !== undefined && sleeper.until <= until)) return
    sleeper?.fiber.interruptUnsafe()
    const wait = Math.max(1, until - monotonicMillis(clock))
    const wake = Effect.sync(() => {
      sleeper = undefined
      fireDue()
      arm()
    })
    sleeper = { until, fiber: run(Effect.andThen(Effect.sleep(wait), wake)) }
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      closed = true
      sleeper?.fiber.interruptUnsafe()
    })
  )

  return Timers.of({
    after: (millis, fire) => {
      const dueAt = monotonicMillis(clock) + millis
      const timer = slots.add(dueAt, fire)
      if (sleeper === undefined || dueAt < sleeper.until) arm()
      return timer
    },
    now: () => clock.currentTimeMillisUnsafe(),
    monotonic: () => monotonicMillis(clock),
    size: () => slots.size
  })
})
