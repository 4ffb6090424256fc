/**
 * The thread that runs tasks.ts: one task at a time, in order of arrival. Owns the hand-over; a throw ends the thread.
 */
import { parentPort } from "node:worker_threads"
import { runTask, type WorkerTask } from "./tasks.ts"
import { yieldCore } from "./yield-core.ts"

yieldCore()

parentPort!.on("message", (task: WorkerTask) => {
  const done = runTask(task)
  // The bytes are transferred, not copied: this thread no longer has them.
  const bytes = "bytes" in done ? [done.bytes.buffer as ArrayBuffer] : []
  parentPort!.postMessage(done, bytes)
})
