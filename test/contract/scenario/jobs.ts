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
    rollout: { perMinute: 600, concurrency: 10, abortAfterFailures: 5 },
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

  await answered(key["jobs.cancel"]({ path, header: { "idempotency-key": "stopped-once" } }))
  await until("it ends", async () => (await answered(key["jobs.get"]({ path }))).state === "cancelled")
  const soon = { type: "screenshot" as const, all: true, expiresAt: Date.now() + 60_000 }
  const all = await answered(key["jobs.start"]({ body: soon }), 201)
  await answered(key["jobs.cancel"]({ path: { jobId: all.jobId } }))
  const meant = await answered(key["jobs.start"]({ body: { ...bySelector, expiresAt: Date.now() + 60_000 } }), 201)
  await answered(key["jobs.cancel"]({ path: { jobId: meant.jobId } }))

  const newest = await answered(key["jobs.list"]({ query: { limit: 1 } }))
  await answered(key["jobs.list"]({ query: { limit: 1, cursor: newest.nextCursor! } }))
  await answered(key["jobs.list"]({ query: { state: "cancelled" } }))

  const unknown = { jobId: "job_00000000000000000000" }
  await refused(key["jobs.get"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["jobs.targets"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["jobs.cancel"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["jobs.start"]({ body: { ...body, daemonIds: ["none"] } }), 404, "NOT_FOUND")
  await refused(reading["jobs.list"]({}), 403, "AUTH_FORBIDDEN")
}
