/** A command that goes from one node to another, as its trace shows it. */
import { expect, it } from "vitest"
import { reported } from "../../support/connected-daemon.ts"
import { traceOf } from "../../support/received-spans.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { useTwoHubs } from "../../support/two-hubs.ts"
import { until } from "../../support/until.ts"
import { useReceiver } from "../../support/use-started.ts"

const receiver = useReceiver()
const hubs = useTwoHubs(() => ({ otelEndpoint: receiver.url(), otelProtocol: "http/json" }))

it("two hubs that are one and trace show a command from the request on one to the frame on the other in one trace", async () => {
  const { one, other } = hubs
  const { account, key } = await one.withKey(["ide:control"])
  const { daemonId, token } = await account.daemonToken()
  const daemon = await connectDaemon(one, token, { report: [reported("s1")] })
  daemon.answerWith(() => ({}))
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01` }
  const asked = { key, body: { type: "read_chat", payload: {} }, headers }
  expect((await other.request("POST", `/api/v1/daemons/${daemonId}/command`, asked)).status).toBe(200)
  const found = await until("the spans come", () => {
    const { command, frame } = traceOf(receiver, trace)
    return command !== undefined && frame !== undefined ? { command, frame } : undefined
  })
  expect(found.frame.parentSpanId).toBe(found.command.spanId)
  const { data } = daemon.frames.find(({ type }) => type === "command")!
  expect(data.traceparent).toBe(`00-${trace}-${found.frame.spanId}-01`)
  await daemon.leave()
})
