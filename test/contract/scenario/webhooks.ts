/** The chapter of webhooks and of what a dashboard needs: TURN credentials. */
import { until } from "../../support/until.ts"
import type { Calls } from "./calls.ts"
import { answered, refused, type World } from "./fixture.ts"

/** A webhook that hears everything, from before the agents begin. */
export const subscribe = async (world: World, session: Calls): Promise<string> => {
  const header = { "idempotency-key": "the-first-webhook" }
  const body = { url: world.receiver, events: ["*"], additionalEvents: ["command:completed"] }
  const { id } = await answered(session["webhooks.create"]({ header, body }), 201)
  return id
}

const history = async (session: Calls, key: Calls, webhookId: string): Promise<void> => {
  const path = { webhookId }
  const header = { "idempotency-key": "again" }
  const { deliveries, nextCursor } = await until("a second page of deliveries", async () => {
    const page = await answered(key["webhooks.deliveries"]({ path, query: { limit: 1 } }))
    return page.nextCursor === undefined ? undefined : page
  })
  await answered(key["webhooks.deliveries"]({ path, query: { limit: 1, cursor: nextCursor ?? "" } }))
  await refused(key["webhooks.deliveries"]({ path, query: { cursor: "none" } }), 400, "VALIDATION_FAILED")
  const deliveryId = deliveries[0]?.deliveryId ?? ""
  await answered(session["webhooks.delivery"]({ path: { webhookId, deliveryId } }))
  await answered(session["webhooks.retry"]({ path: { webhookId, deliveryId }, header }))
  const none = { webhookId, deliveryId: "dlv_00000000000000000000" }
  await refused(session["webhooks.retry"]({ path: none }), 404, "NOT_FOUND")
  await answered(session["webhooks.recover"]({ path, header, body: { since: Date.now() - 3_600_000 } }))
}

/** It hears of a part of the fleet, and of all again. */
const chosen = async (session: Calls, webhookId: string): Promise<void> => {
  for (const selector of ["env=story", null, ""]) {
    const body = { active: false, selector }
    await answered(session["webhooks.update"]({ path: { webhookId }, body }))
  }
  const body = { selector: "env=story,," }
  await refused(session["webhooks.update"]({ path: { webhookId }, body }), 400, "VALIDATION_FAILED")
}

/** Its life after that. */
export const webhooks = async (
  world: World,
  { session, stale, key, free }: { session: Calls; stale: Calls; key: Calls; free: Calls },
  webhookId: string
): Promise<void> => {
  const path = { webhookId }
  await answered(key["webhooks.list"]({}))
  await answered(session["webhooks.test"]({ path, header: { "idempotency-key": "tested" } }))
  await history(session, key, webhookId)
  await answered(session["webhooks.rotateSecret"]({ path, header: { "idempotency-key": "rotated" } }))
  const change = { url: world.receiver, events: ["agent:status"], additionalEvents: [], active: true }
  await answered(session["webhooks.update"]({ path, body: change }))
  await answered(session["webhooks.update"]({ path, body: { active: false } }))
  await chosen(session, webhookId)
  const since = { since: Date.now() }
  await refused(session["webhooks.recover"]({ path, body: since }), 400, "VALIDATION_FAILED")
  await refused(session["webhooks.update"]({ path, body: {} }), 400, "VALIDATION_FAILED")
  await refused(key["webhooks.update"]({ path, body: { active: true } }), 403, "RECENT_LOGIN_REQUIRED")
  await refused(stale["webhooks.remove"]({ path }), 403, "RECENT_LOGIN_REQUIRED")
  const body = { url: world.receiver, events: ["daemon:connect"] }
  const long = { ...body, url: `${world.receiver}?${"x".repeat(20_000)}` }
  await refused(session["webhooks.create"]({ body: long }), 413, "PAYLOAD_TOO_LARGE")
  await refused(session["webhooks.create"]({ body: { ...body, url: "ftp://x" } }), 400, "VALIDATION_FAILED")
  for (let most = 2; most > 0; most--)
    await answered(free["webhooks.create"]({ body: { ...body, selector: "gpu" } }), 201)
  await refused(free["webhooks.create"]({ body }), 403, "WEBHOOK_LIMIT_REACHED")
  await answered(session["webhooks.remove"]({ path }))
  await refused(session["webhooks.remove"]({ path }), 404, "NOT_FOUND")
  await refused(session["webhooks.rotateSecret"]({ path }), 404, "NOT_FOUND")
  await refused(key["webhooks.deliveries"]({ path }), 404, "NOT_FOUND")
}

/** The servers of the dashboard's peer-to-peer connection. */
export const turn = async (session: Calls, key: Calls, expired: Calls): Promise<void> => {
  await answered(session["turn.credentials"]({}))
  await refused(key["turn.credentials"]({}), 403, "AUTH_FORBIDDEN")
  const { code } = await refused(expired["turn.credentials"]({}), 401, "TOKEN_EXPIRED")
  if (code !== undefined) throw new Error("an expired session has a code")
}
