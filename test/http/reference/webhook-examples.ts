/** The examples of webhooks and of their deliveries. Asserts nothing. */
import type { TestHub } from "../../support/hub.ts"
import { until } from "../../support/until.ts"
import type { Recorder } from "./recorded-examples.ts"

const api = "/api/v1"

/** Records the calls of a webhook, which it removes. */
export const recordWebhooks = async (hub: TestHub, { call }: Recorder, session: string, id: string): Promise<void> => {
  const path = `${api}/webhooks/${id}`
  // what came of a delivery is written a moment after it has arrived
  const listed = async () => (await hub.request("GET", `${api}/webhooks`, { session })).body.webhooks
  await until("its delivery is noted", async () => (await listed())[0].lastDeliveryAt)
  await call(hub, "webhooks.list", 200, `GET ${api}/webhooks`, { session })
  await call(hub, "webhooks.update", 200, `PATCH ${path}`, {
    session,
    body: { events: ["daemon:connect", "agent:status"], selector: "env=prod" }
  })
  await call(hub, "webhooks.test", 200, `POST ${path}/test`, { session })
  await call(hub, "webhooks.deliveries", 200, `GET ${path}/deliveries`, { session })
  await call(hub, "webhooks.recover", 200, `POST ${path}/recover`, { session, body: { since: hub.now() } })
  await call(hub, "webhooks.rotateSecret", 200, `POST ${path}/rotate-secret`, { session })
  await call(hub, "webhooks.remove", 200, `DELETE ${path}`, { session })
}

/** Records those of a delivery. */
export const recordRetry = async (
  hub: TestHub,
  { call }: Recorder,
  session: string,
  webhookId: string
): Promise<void> => {
  const path = `${api}/webhooks/${webhookId}/deliveries`
  const [{ deliveryId }] = (await hub.request("GET", path, { session })).body.deliveries
  await call(hub, "webhooks.delivery", 200, `GET ${path}/${deliveryId}`, { session })
  await call(hub, "webhooks.retry", 200, `POST ${path}/${deliveryId}/retry`, { session })
}
