/** Jobs that are done at once, on the loop, for tests without a thread. */
import { Exit } from "effect"
import type { WorkerThread } from "../../actors/runtime/worker-thread.ts"
import { runTask } from "../../src/runtime/worker/tasks.ts"

/** Does every job as it is put. */
export const workerAtOnce: WorkerThread["Service"] = {
  put: (_account, job, done) => {
    done(runTask(job))
    return true
  },
  ask: (_account, job) => Exit.succeed(runTask(job))
}
