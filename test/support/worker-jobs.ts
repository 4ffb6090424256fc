/** Jobs that are done at once, on the loop, for tests without a thread. */
import { Exit } from "effect"
import type { OffLoop } from "../../actors/runtime/worker-jobs.ts"
import { doJob } from "../../src/runtime/worker/jobs.ts"

/** Does every job as it is put. */
export const offLoopAtOnce: OffLoop["Service"] = {
  put: (_account, job, done) => {
    done(doJob(job))
    return true
  },
  ask: (_account, job) => Exit.succeed(doJob(job))
}
