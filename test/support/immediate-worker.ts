/** Jobs that are done at once, on the loop, for tests without a thread. */
import { Exit } from "effect"
import type { WorkerThread } from "../../actors/runtime/worker-thread.ts"
import { runTask } from "../../src/runtime/worker/tasks.ts"

/** Does every task as it is put. */
export const workerAtOnce: WorkerThread["Service"] = {
  put: (_account, task, done) => {
    done(runTask(task))
    return true
  },
  ask: (_account, task) => Exit.succeed(runTask(task))
}
