/**
 * What every receiver here does with a delivery, whatever its framework: verify it over its raw body, do each one once,
 * answer at once. Owns the ids of the deliveries that were done; listens nowhere.
 */
import { WebhookRefused, webhooks } from "@hub/client"

const { HUB_WEBHOOK_SECRET: secrets } = process.env
if (!secrets) {
  console.error("HUB_WEBHOOK_SECRET is missing: the secret that was shown when the webhook was made, or by hub listen")
  process.exit(2)
}

/** How many ids are remembered. A real receiver keeps them in its database, in the transaction of what it does. */
const doneMax = 10_000
const done = new Set()

const handle = ({ event, payload }) => {
  console.log(event, payload.daemonId ?? "")
}

/** The status for a delivery: 204 done (also before), 400 not the hub's. Any other throws, and the hub tries again. */
export const receive = async (body, headers) => {
  const secret = secrets.split(",")
  try {
    const { deliveryId, event } = await webhooks.verify({ body, headers, secret })
    if (done.has(deliveryId)) return 204
    handle(event)
    done.add(deliveryId)
    if (done.size > doneMax) done.delete(done.values().next().value)
    return 204
  } catch (error) {
    if (error instanceof WebhookRefused) return 400
    throw error
  }
}

/** The largest body that a receiver reads. */
export const bodyBytesMax = 1_048_576
/** Where it listens: HUB_RECEIVER_PORT, or any free port. */
export const port = Number(process.env.HUB_RECEIVER_PORT ?? 0)
/** Says where it listens. */
export const listening = (server) => console.log(`listening on http://127.0.0.1:${server.address().port}/hooks`)
