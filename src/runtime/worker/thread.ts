/**
 * The thread of jobs.ts: one job at a time, in the order they come. Owns the hand-over alone; what throws ends the
 * thread.
 */
import { parentPort } from "node:worker_threads"
import { doJob, type Job } from "./jobs.ts"

parentPort!.on("message", (job: Job) => {
  const done = doJob(job)
  // handed over, not copied: nobody here has them any more
  const bytes = "bytes" in done ? [done.bytes.buffer as ArrayBuffer] : []
  parentPort!.postMessage(done, bytes)
})
