/** The chapter of jobs: one command for many daemons, its targets page by page, the list, cancel. */
import { until } from "../../support/until.ts"
import type { Calls } from "./calls.ts"
import { answered, refused, type World } from "./fixture.ts"

const bySelector = { type: "screenshot" as const, selector: "!nowhere" }

/** The whole of it. */
export const jobs = async (world: World, key: Calls, reading: Calls): Promise<void> => {
  const { real, offline } = world.daemons
  const header = { "idempotency-key": "updated-once" }
  const body = {
    daemonIds: [real, offline],
    type: "terminal_exec" as const,
    payload: { command: "printf updated" },
    timeoutSeconds: 60,
    name: "updates",
    rollout: {
      perMinute: 600,
      concurrency: 10,
      abortAfterFailures: 5,
      successExitCodes: [0, 3],
      steps: [{ percent: 100, holdMinutes: 0 }]
    },
    expiresAt: Date.now() + 3_600_000
  }
  const { jobId } = await answered(key["jobs.start"]({ header, body }), 201)
  const path = { jobId }
  await until("one target is done", async () => {
    const job = await answered(key["jobs.get"]({ path }))
    return job.counts.succeeded === 1 ? job : undefined
  })
  await answered(key["jobs.targets"]({ path, query: { state: "succeeded" } }))
  const first = await answered(key["jobs.targets"]({ path, query: { limit: 1 } }))
  await answered(key["jobs.targets"]({ path, query: { limit: 1, cursor: first.nextCursor! } }))

  await answered(key["jobs.targets"]({ path, query: { exitCode: "0" } }))
  const results = await answered(key["jobs.results"]({ path, query: { limit: 1 } }))
  const next = { limit: 1, cursor: results.nextCursor!, state: "waiting" as const }
  await answered(key["jobs.results"]({ path, query: next }))
  await answered(key["jobs.results"]({ path, query: { exitCode: "nonzero" } }))
  await answered(key["jobs.results"]({ path, header: { accept: "application/x-ndjson" } }))
  await refused(key["jobs.retry"]({ path, body: {} }), 400, "VALIDATION_FAILED")

  await answered(key["jobs.cancel"]({ path, header: { "idempotency-key": "stopped-once" } }))
  await until("it ends", async () => (await answered(key["jobs.get"]({ path }))).state === "cancelled")
  const soon = { type: "screenshot" as const, all: true, expiresAt: Date.now() + 60_000 }
  const all = await answered(key["jobs.start"]({ body: soon }), 201)
  await answered(key["jobs.cancel"]({ path: { jobId: all.jobId } }))
  const meant = await answered(key["jobs.start"]({ body: { ...bySelector, expiresAt: Date.now() + 60_000 } }), 201)
  await answered(key["jobs.cancel"]({ path: { jobId: meant.jobId } }))

  const failing = { daemonIds: [real], type: "terminal_exec" as const, payload: { command: "exit 3" } }
  const failed = await answered(key["jobs.start"]({ body: failing }), 201)
  await until("it fails", async () => {
    const job = await answered(key["jobs.get"]({ path: { jobId: failed.jobId } }))
    return job.counts.failed === 1 && job.state === "completed" ? job : undefined
  })
  const once = {
    name: "once more",
    payload: { command: "true" },
    timeoutSeconds: 60,
    rollout: { concurrency: 1 },
    expiresAt: Date.now() + 60_000
  }
  const again = { path: { jobId: failed.jobId }, header: { "idempotency-key": "tried-again-once" }, body: once }
  await answered(key["jobs.retry"](again), 201)

  const newest = await answered(key["jobs.list"]({ query: { limit: 1 } }))
  await answered(key["jobs.list"]({ query: { limit: 1, cursor: newest.nextCursor! } }))
  await answered(key["jobs.list"]({ query: { state: "cancelled" } }))

  const unknown = { jobId: "job_00000000000000000000" }
  await refused(key["jobs.get"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["jobs.targets"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["jobs.results"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["jobs.retry"]({ path: unknown, body: {} }), 404, "NOT_FOUND")
  await refused(key["jobs.cancel"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["jobs.start"]({ body: { ...body, daemonIds: ["none"] } }), 404, "NOT_FOUND")
  await refused(reading["jobs.list"]({}), 403, "AUTH_FORBIDDEN")
}
