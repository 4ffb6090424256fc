/**
 * The thread that runs jobs.ts: one job at a time, in order of arrival. Owns the hand-over; a throw ends the thread.
 */
import { parentPort } from "node:worker_threads"
import { doJob, type Job } from "./jobs.ts"

parentPort!.on("message", (job: Job) => {
  const done = doJob(job)
  // The bytes are transferred, not copied: this thread no longer has them.
  const bytes = "bytes" in done ? [done.bytes.buffer as ArrayBuffer] : []
  parentPort!.postMessage(done, bytes)
})
