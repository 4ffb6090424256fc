/**
 * Tasks that would block the event loop, in a thread of their own. Owns their order (accounts take turns, so that none
 * waits for more than one task of another), the bound of what waits, and the thread's life: started by the first task,
 * ended when it is idle or takes too long. Knows no task: src/runtime/worker has them.
 */
import { Worker } from "node:worker_threads"
import { Cause, Context, Effect, Layer } from "effect"
import {
  workerTaskBytesMax,
  workerTaskBytesMin,
  workerTaskBytesPerAccountMax,
  workerTaskMillisMax,
  workerThreadIdleMillis
} from "../../src/limits.ts"
import { count } from "../../src/runtime/metrics.ts"
import { type Timer, Timers } from "../../src/runtime/timers.ts"
import type { TaskResult, WorkerTask } from "../../src/runtime/worker/tasks.ts"

/** A task that waits, or is in the thread. */
interface Waiting {
  readonly task: WorkerTask
  readonly accountId: string
  readonly bytes: number
  /** Called once. Undefined: too much waits, or the thread broke over it. */
  readonly done: (done: TaskResult | undefined) => void
}

/** The thread, as its owner sees it. */
export interface Thread {
  readonly post: (task: WorkerTask) => void
  readonly end: () => void
}

/** Starts a thread. `failed` is called once at its end, for whatever reason. */
export type StartThread = (done: (done: TaskResult) => void, failed: (cause: unknown) => void) => Thread

const startThread: StartThread = (done, failed) => {
  const worker = new Worker(new URL("../../src/runtime/worker/thread.ts", import.meta.url), { stdin: false })
  let cause: unknown = "it ended"
  worker.on("message", done)
  worker.on("error", (error) => {
    cause = error
  })
  worker.once("exit", () => failed(cause))
  // a hub that ends waits for no task
  worker.unref()
  return {
    post: (task) => worker.postMessage(task, [task.bytes.buffer as ArrayBuffer]),
    end: () => void worker.terminate()
  }
}

/** Who is next, and the one thread. One task at a time is in it. */
export class WorkerQueue {
  readonly #start: StartThread
  readonly #after: Timers["Service"]["after"]
  readonly #broke: (cause: unknown) => void
  readonly #byAccount = new Map<string, { bytes: number; readonly tasks: Array<Waiting> }>()
  #bytes = 0
  #thread: Thread | undefined
  #current: Waiting | undefined
  #timer: Timer | undefined

  constructor(start: StartThread, after: Timers["Service"]["after"], broke: (cause: unknown) => void) {
    this.#start = start
    this.#after = after
    this.#broke = broke
  }

  /** Bytes that wait or are worked on. */
  get bytes(): number {
    return this.#bytes
  }

  /** Puts a task; its bytes are the thread's from then on. False: too much waits, and `done` is never called. */
  put(accountId: string, task: WorkerTask, done: (done: TaskResult | undefined) => void): boolean {
    const bytes = Math.max(task.bytes.byteLength, workerTaskBytesMin)
    const own = this.#byAccount.get(accountId) ?? { bytes: 0, tasks: [] }
    if (own.bytes + bytes > workerTaskBytesPerAccountMax || this.#bytes + bytes > workerTaskBytesMax) return false
    own.bytes += bytes
    this.#bytes += bytes
    own.tasks.push({ task, accountId, bytes, done })
    this.#byAccount.set(accountId, own)
    if (this.#current === undefined) this.#next()
    return true
  }

  /** Ends the thread, and gives up what waits. */
  close(): void {
    const waiting = [...this.#byAccount.values()].flatMap(({ tasks }) => tasks)
    if (this.#current !== undefined) waiting.unshift(this.#current)
    this.#current = undefined
    this.#byAccount.clear()
    this.#bytes = 0
    this.#end()
    for (const { done } of waiting) done(undefined)
  }

  #end(): void {
    this.#timer?.clear()
    const thread = this.#thread
    this.#thread = undefined
    thread?.end()
  }

  /** The oldest of the account that waits longest for its turn. */
  #take(): Waiting | undefined {
    for (const [accountId, own] of this.#byAccount) {
      const task = own.tasks.shift()
      if (task === undefined) continue
      this.#byAccount.delete(accountId)
      this.#byAccount.set(accountId, own)
      return task
    }
    return undefined
  }

  #next(): void {
    this.#timer?.clear()
    this.#current = this.#take()
    if (this.#current === undefined) {
      this.#timer = this.#after(workerThreadIdleMillis, () => this.#end())
      return
    }
    this.#timer = this.#after(workerTaskMillisMax, () => this.#giveUp("it took too long"))
    try {
      this.#thread ??= this.#begin()
      this.#thread.post(this.#current.task)
    } catch (cause) {
      this.#giveUp(cause)
    }
  }

  /** The thread is of no use any more. Its end is not awaited, because it may never be reported. */
  #giveUp(cause: unknown): void {
    this.#end()
    this.#broke(cause)
    this.#settle(undefined)
  }

  #begin(): Thread {
    const thread: Thread = this.#start(
      (done) => {
        if (this.#thread === thread) this.#settle(done)
      },
      (cause) => {
        if (this.#thread !== thread) return
        this.#thread = undefined
        this.#broke(cause)
        this.#settle(undefined)
      }
    )
    return thread
  }

  #settle(done: TaskResult | undefined): void {
    const one = this.#current
    if (one === undefined) return
    this.#current = undefined
    this.#bytes -= one.bytes
    const own = this.#byAccount.get(one.accountId)!
    own.bytes -= one.bytes
    if (own.bytes === 0) this.#byAccount.delete(one.accountId)
    this.#next()
    one.done(done)
  }
}

export class WorkerThread extends Context.Service<
  WorkerThread,
  {
    /** Puts a task; its bytes are given away. False: too much waits, and `done` is never called. */
    readonly put: (accountId: string, task: WorkerTask, done: (done: TaskResult | undefined) => void) => boolean
    /** The same as an effect. Undefined: too much waits, or the thread broke over it. */
    readonly ask: (accountId: string, task: WorkerTask) => Effect.Effect<TaskResult | undefined>
  }
>()("hub/WorkerThread") {
  static readonly layer = Layer.effect(WorkerThread)(Effect.suspend(() => make))
}

const make = Effect.gen(function* () {
  const timers = yield* Timers
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const queue = new WorkerQueue(startThread, timers.after, (cause) => {
    count("hub_defects_total", "offloop")
    run(Effect.logError("a task crashed the worker thread", Cause.die(cause)))
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => queue.close()))
  return WorkerThread.of({
    put: (accountId, task, done) => queue.put(accountId, task, done),
    ask: (accountId, task) =>
      Effect.callback((resume) => {
        if (!queue.put(accountId, task, (value) => resume(Effect.succeed(value)))) resume(Effect.succeed(undefined))
      })
  })
})
