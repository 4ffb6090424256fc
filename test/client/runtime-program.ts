/**
 * A program over the client that runs as it is in Node, Deno and Bun: a list, a stream, a command, a refusal, a
 * webhook. Owns what it calls and prints; the test beside it starts it and has the daemon come and answer.
 */
import process from "node:process"
import { createClient, Refused, WebhookRefused, webhooks } from "@hub/client"

const { url, credential, daemonId, delivery } = JSON.parse(process.argv[2]!) as {
  readonly url: string
  readonly credential: string
  readonly daemonId: string
  readonly delivery: Parameters<typeof webhooks.verify>[0]
}
const client = createClient({ url, credential })
const say = (name: string, value: unknown): void => void process.stdout.write(`${JSON.stringify([name, value])}\n`)

say("runtime", navigator.userAgent)
const listed: Array<string> = []
for await (const daemon of client.daemons.list({ include: "offline", limit: 1 })) listed.push(daemon.id)
say("listed", listed)

const controller = new AbortController()
const onState = (state: string): void => say("stream", state)
for await (const item of client.events.stream({ event: ["daemon:connect"] }, { signal: controller.signal, onState })) {
  if (item.type !== "event") continue
  say("event", item.data.event)
  controller.abort()
}

const done = await client.daemons.terminal({ daemonId, command: "uname" })
say("terminal", done.success ? done.result.stdout : done.error)

const refused: unknown = await client.daemons.status({ daemonId: "dmn_unknown" }).catch((error: unknown) => error)
say("refused", refused instanceof Refused ? refused.reason : String(refused))

const { deliveryId, event } = await webhooks.verify(delivery)
say("verified", [deliveryId, event.event])
const forged: unknown = await webhooks.verify({ ...delivery, body: "{}" }).catch((error: unknown) => error)
say("forged", forged instanceof WebhookRefused)
