/**
 * The thread of the embedded database, which may begin before it is asked for: it loads the database's code while this
 * process loads the hub's. Owns the one that was begun ahead; opens no database.
 */
import { Worker } from "node:worker_threads"
import type { CloseDatabase } from "./worker.ts"

const begin = (): Worker => new Worker(new URL("./worker.ts", import.meta.url), { stdin: false })

let prepared: Worker | undefined

/** Begins a thread ahead: 50 ms less of a second start (`./hub bench start`). */
export const prepareWorker = (): void => {
  const worker = begin()
  worker.unref()
  const forget = (): void => {
    if (prepared === worker) prepared = undefined
  }
  // what failed here fails again where one is asked for, and is told there
  worker.once("error", forget)
  worker.once("exit", forget)
  prepared = worker
}

/**
 * Ends the thread that was begun ahead and not taken, once it has read its code: of one that is stopped while it begins
 * V8 may write to standard output.
 */
export const endPrepared = (): Promise<void> =>
  new Promise((ended) => {
    if (prepared === undefined) return ended()
    prepared.once("exit", () => ended())
    prepared.ref()
    prepared.postMessage({ close: true } satisfies CloseDatabase)
  })

/** A thread that has no database yet: the one that was begun ahead, or a new one. */
export const takeWorker = (): Worker => {
  const worker = prepared ?? begin()
  prepared = undefined
  worker.ref()
  return worker
}
