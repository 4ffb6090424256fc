/** Posts to a receiver of its own by the name that is its argument, and prints what became of it as JSON. */
import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net"
import { Effect } from "effect"
import { addressMillisMax } from "../../../src/limits/delivery.ts"
import { Outbound } from "../../../src/outbound/post.ts"
import { startReceiver } from "../../support/webhook-receiver.ts"

const name = process.argv[2]!
// as src/hub/node.ts does
setDefaultAutoSelectFamilyAttemptTimeout(addressMillisMax)
const receiver = await startReceiver()
const { port } = new URL(receiver.url("/"))
const post = Effect.flatMap(Outbound, (outbound) =>
  outbound.post({ url: `http://${name}:${port}/hook`, headers: {}, body: "{}", charge: () => undefined })
)
const layer = Outbound.layerOf({ allowCidrs: ["127.0.0.0/8", "fd00::/8"] })
process.stdout.write(JSON.stringify(await Effect.runPromise(Effect.provide(post, layer))))
await receiver.close()
