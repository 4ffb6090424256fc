/** The operations of jobs, as calls.ts has the others. Owns no behaviour. */
import type { Call } from "./call.ts"

type Members = Record<string, unknown>
type Keyed = { "idempotency-key"?: string }
type Page = { limit?: number; cursor?: string }
type JobState = "running" | "completed" | "aborted" | "cancelled" | "expired"
type Job = { jobId: string; state: JobState; targets: number }
type CountedJob = Job & { counts: { succeeded: number; waiting: number; cancelled: number } }
type JobTargets = { targets: ReadonlyArray<{ daemonId: string; commandId: string | null }>; nextCursor?: string }

/** `/api/v1/jobs/…`. */
export interface JobCalls {
  "jobs.start": Call<
    {
      header?: Keyed
      body: {
        daemonIds?: Array<string>
        all?: boolean
        selector?: string
        type: "terminal_exec" | "screenshot"
        payload?: Members
        timeoutSeconds?: number
        rollout?: { perMinute?: number; concurrency?: number; abortAfterFailures?: number }
        expiresAt?: number
      }
    },
    CountedJob
  >
  "jobs.list": Call<{ query?: Page & { state?: JobState } }, { jobs: ReadonlyArray<Job>; nextCursor?: string }>
  "jobs.get": Call<{ path: { jobId: string } }, CountedJob>
  "jobs.targets": Call<{ path: { jobId: string }; query?: Page & { state?: "succeeded" | "waiting" } }, JobTargets>
  "jobs.cancel": Call<{ path: { jobId: string }; header?: Keyed }, CountedJob>
}
