/**
 * Jobs beside the event loop: whose turn it is, how many may wait, and a thread that breaks, stays away or is not
 * needed.
 */
import { beforeEach, describe, expect, it } from "vitest"
import { type Thread, WorkerQueue } from "../../../actors/runtime/worker-thread.ts"
import {
  workerTaskBytesMax,
  workerTaskBytesMin,
  workerTaskBytesPerAccountMax,
  workerTaskMillisMax,
  workerThreadIdleMillis
} from "../../../src/limits.ts"
import type { TaskResult, WorkerTask } from "../../../src/runtime/worker/tasks.ts"

const task = (bytes = 1): WorkerTask => ({ task: "snapshot", bytes: new Uint8Array(bytes) })
const unfit: TaskResult = { done: "unfit" }

describe("tasks of the worker thread", () => {
  let threads: Array<{ posted: number; ended: boolean; done: (done: TaskResult) => void; fail: () => void }>
  let timers: Array<{ millis: number; fire: () => void; cleared: boolean }>
  let broke: Array<unknown>
  let told: Array<string>
  let queue: WorkerQueue
  let noThread: boolean
  let endIsTold: boolean

  beforeEach(() => {
    noThread = false
    endIsTold = true
    threads = []
    timers = []
    broke = []
    told = []
    const start = (done: (done: TaskResult) => void, failed: (cause: unknown) => void): Thread => {
      if (noThread) throw new Error("no thread")
      const thread = { posted: 0, ended: false, done, fail: () => failed("broken") }
      threads.push(thread)
      return {
        post: () => {
          thread.posted++
        },
        end: () => {
          thread.ended = true
          if (endIsTold) failed("it ended")
        }
      }
    }
    const after = (millis: number, fire: () => void) => {
      const timer = { millis, fire, cleared: false }
      timers.push(timer)
      return {
        clear: () => {
          timer.cleared = true
        }
      }
    }
    queue = new WorkerQueue(start, after, (cause) => broke.push(cause))
  })

  const put = (account: string, name: string, bytes = 1): boolean =>
    queue.put(account, task(bytes), (done) => told.push(`${name} ${done?.done ?? "nothing"}`))
  const due = (millis: number) => timers.findLast((timer) => timer.millis === millis && !timer.cleared)

  it("are in the thread one at a time, and accounts take turns", () => {
    for (const name of ["a1", "a2", "a3"]) put("a", name)
    put("b", "b1")
    expect(threads.map(({ posted }) => posted)).toEqual([1])
    for (let done = 0; done < 4; done++) threads[0]!.done(unfit)
    expect(told).toEqual(["a1 unfit", "a2 unfit", "b1 unfit", "a3 unfit"])
    expect([threads[0]!.posted, queue.bytes]).toEqual([4, 0])
  })

  it("wait for no thread that hangs and never ends, and its late answer is not taken for the next task's", () => {
    endIsTold = false
    put("a", "a1")
    put("b", "b1")
    due(workerTaskMillisMax)!.fire()
    expect([told, threads.map(({ ended }) => ended)]).toEqual([["a1 nothing"], [true, false]])
    threads[0]!.done(unfit)
    expect(told).toEqual(["a1 nothing"])
    threads[1]!.done(unfit)
    expect([told, queue.bytes]).toEqual([["a1 nothing", "b1 unfit"], 0])
  })

  it("fail where no thread can be started, and those that come later have one again", () => {
    noThread = true
    expect([put("a", "a1"), told, queue.bytes, broke.length]).toEqual([true, ["a1 nothing"], 0, 1])
    noThread = false
    put("a", "a2")
    threads[0]!.done(unfit)
    expect(told).toEqual(["a1 nothing", "a2 unfit"])
  })

  it("may wait up to a bound of bytes of one account, and of all; one more is refused and never told", () => {
    const half = workerTaskBytesPerAccountMax / 2
    expect([put("a", "a1", half), put("a", "a2", half), put("a", "a3")]).toEqual([true, true, false])
    for (let account = 1; account < workerTaskBytesMax / workerTaskBytesPerAccountMax; account++)
      expect([put(`b${account}`, "b", half), put(`b${account}`, "b", half)]).toEqual([true, true])
    expect(put("c", "c1")).toBe(false)
    threads[0]!.done(unfit)
    expect([put("c", "c1"), queue.bytes]).toEqual([true, workerTaskBytesMax - half + workerTaskBytesMin])
    expect(told).toEqual(["a1 unfit"])
  })

  it("that break the thread fail alone: the next has a new one", () => {
    for (const name of ["a1", "a2"]) put("a", name)
    threads[0]!.fail()
    expect([told, broke, threads.length]).toEqual([["a1 nothing"], ["broken"], 2])
    threads[1]!.done(unfit)
    expect(told).toEqual(["a1 nothing", "a2 unfit"])
  })

  it("that take too long fail, and the thread is ended with them", () => {
    put("a", "a1")
    put("a", "a2")
    due(workerTaskMillisMax)!.fire()
    expect([told, threads.map(({ ended }) => ended)]).toEqual([["a1 nothing"], [true, false]])
  })

  it("leave a thread that ends when nothing came for a while, which is no failure", () => {
    put("a", "a1")
    threads[0]!.done(unfit)
    due(workerThreadIdleMillis)!.fire()
    expect([threads[0]!.ended, broke]).toEqual([true, []])
    put("a", "a2")
    threads[1]!.done(unfit)
    expect(told).toEqual(["a1 unfit", "a2 unfit"])
  })

  it("are given up when the hub closes", () => {
    for (const name of ["a1", "a2"]) put("a", name)
    queue.close()
    expect([told, threads[0]!.ended, broke]).toEqual([["a1 nothing", "a2 nothing"], true, []])
  })
})
