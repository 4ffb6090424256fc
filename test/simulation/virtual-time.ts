/**
 * Virtual time, and the order in which everything of a simulated hub runs: one thing at a time, chosen by the seed.
 * Owns the events that are due later, the tasks of Effect's fibers that are due now, and what becomes of both when
 * their process is paused or killed. Knows no hub.
 */
import { Clock, Context, Duration, Effect, Scheduler } from "effect"
import type { Random } from "./seeded-random.ts"

/** When every world begins, epoch milliseconds. */
const beginning = 1_790_000_000_000

interface Event {
  readonly at: number
  readonly nth: number
  readonly process: VirtualProcess | undefined
  run: (() => void) | undefined
}

const isBefore = (one: Event, other: Event): boolean =>
  one.at < other.at || (one.at === other.at && one.nth < other.nth)

/** The tasks of one root fiber, in order. */
class Tasks implements Scheduler.SchedulerDispatcher {
  readonly waiting: Array<() => void> = []
  readonly process: VirtualProcess
  private readonly ready: (tasks: Tasks) => void

  constructor(process: VirtualProcess, ready: (tasks: Tasks) => void) {
    this.process = process
    this.ready = ready
  }

  scheduleTask(task: () => void): void {
    if (this.waiting.push(task) === 1) this.ready(this)
  }

  flush(): void {
    for (let task = this.waiting.shift(); task !== undefined; task = this.waiting.shift()) task()
  }
}

/** A process: what of it may run, and by which clock. */
export class VirtualProcess {
  readonly name: string
  /** How far its clock is ahead. */
  ahead = 0
  /** Killed: nothing of it runs any more. */
  dead = false
  paused = false
  /** What was due while it was paused. */
  readonly heldTasks: Array<Tasks> = []
  readonly heldRuns: Array<() => void> = []
  /** Sleeps under way. */
  sleeping = 0

  constructor(name: string) {
    this.name = name
  }
}

/** The time. */
export class VirtualTime {
  now = beginning
  /** Tasks and events that have run. */
  steps = 0
  private readonly random: Random
  private readonly heap: Array<Event> = []
  private readonly ready: Array<Tasks> = []
  private made = 0

  constructor(random: Random) {
    this.random = random
  }

  /** Runs this later, as a part of a process or of the world around them. Returns how to cancel it. */
  after(millis: number, run: () => void, process?: VirtualProcess): () => void {
    const event: Event = { at: this.now + Math.max(0, millis), nth: this.made++, process, run }
    this.push(event)
    return () => {
      event.run = undefined
    }
  }

  /** Runs one thing. False: nothing is left until then. */
  step(until: number): boolean {
    for (;;) {
      if (this.ready.length > 0) {
        this.runTask()
        return true
      }
      const next = this.heap[0]
      if (next === undefined || next.at > until) {
        this.now = Math.max(this.now, until)
        return false
      }
      this.pop()
      this.now = Math.max(this.now, next.at)
      const { run, process } = next
      next.run = undefined
      if (run === undefined || process?.dead === true) continue
      if (process?.paused === true) {
        process.heldRuns.push(run)
        continue
      }
      this.steps++
      run()
      return true
    }
  }

  pause(process: VirtualProcess): void {
    process.paused = true
  }

  resume(process: VirtualProcess): void {
    process.paused = false
    for (const tasks of process.heldTasks.splice(0)) this.ready.push(tasks)
    for (const run of process.heldRuns.splice(0)) this.after(0, run, process)
  }

  /** What the fibers of a process run with. */
  services(process: VirtualProcess): Context.Context<never> {
    const scheduler: Scheduler.Scheduler = {
      executionMode: "async",
      shouldYield: (fiber) => fiber.currentOpCount >= 2_048,
      makeDispatcher: () => new Tasks(process, (tasks) => void this.ready.push(tasks))
    }
    return Context.add(
      Context.make(Scheduler.Scheduler, scheduler) as Context.Context<never>,
      Clock.Clock,
      this.clock(process)
    ) as Context.Context<never>
  }

  private clock(process: VirtualProcess): Clock.Clock {
    const millis = (): number => Math.floor(this.now + process.ahead)
    const nanos = (): bigint => BigInt(millis()) * 1_000_000n
    const monotonic = (): bigint => BigInt(Math.floor((this.now - beginning) * 1_000)) * 1_000n
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: monotonic,
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep: (duration) => this.sleep(Duration.toMillis(duration), process)
    }
  }

  private sleep(millis: number, process: VirtualProcess): Effect.Effect<void> {
    if (!Number.isFinite(millis)) return Effect.never
    return Effect.callback((resume) => {
      process.sleeping++
      const cancel = this.after(
        Math.ceil(millis),
        () => {
          process.sleeping--
          resume(Effect.void)
        },
        process
      )
      return Effect.sync(() => {
        process.sleeping--
        cancel()
      })
    })
  }

  private runTask(): void {
    const { ready } = this
    const at = ready.length === 1 ? 0 : this.random.below(ready.length)
    const tasks = ready[at]!
    const { process } = tasks
    const last = (): void => {
      ready[at] = ready[ready.length - 1]!
      ready.pop()
    }
    if (process.dead) {
      tasks.waiting.length = 0
      return last()
    }
    if (process.paused) {
      process.heldTasks.push(tasks)
      return last()
    }
    this.steps++
    const task = tasks.waiting.shift()
    if (tasks.waiting.length === 0) last()
    task?.()
  }

  private push(event: Event): void {
    const { heap } = this
    let at = heap.length
    heap.push(event)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(event, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = event
  }

  private pop(): void {
    const { heap } = this
    const last = heap.pop()!
    if (heap.length === 0) return
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
  }
}
