/** A request and an event as their traces show them, at a receiver of spans. */
import { describe, expect, it } from "vitest"
import { ownedDaemon, reported } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"
import { spansAt, traceOf } from "../../support/received-spans.ts"
import { hook } from "../../support/received-webhooks.ts"
import { until } from "../../support/until.ts"
import { useReceiver, useStarted } from "../../support/use-started.ts"
import { startReceiver } from "../../support/webhook-receiver.ts"

const parent = "00f067aa0ba902b7"
let traces = 0
const newTrace = (): string => (++traces).toString(16).padStart(32, "a")

describe("a hub that traces", () => {
  const receiver = useReceiver()
  const hub = useHub(() => ({ settings: { otelEndpoint: receiver.url(), otelProtocol: "http/json" } }))
  const mine = useStarted(() => ownedDaemon(hub))

  const command = (headers: Record<string, string>, message = "hello") =>
    hub.request("POST", `/api/v1/daemons/${mine.daemonId}/command`, {
      key: mine.key,
      body: { type: "send_chat", payload: { message } },
      headers
    })
  const sent = (trace: string, names: ReadonlyArray<string>) =>
    until("the spans come", () => {
      const found = traceOf(receiver, trace)
      return names.every((name) => name in found) ? found : undefined
    })

  it("P114: shows a command from the request to the answer, within the caller's trace, and tells the daemon of it", async () => {
    const peer = await mine.connect({ report: [reported("s1")] })
    peer.answerWith(() => ({}))
    const trace = newTrace()
    const answer = await command({ traceparent: `00-${trace}-${parent}-01`, tracestate: "v=1" }, "the chat text")
    expect(answer.status).toBe(200)
    const request = "POST /api/v1/daemons/{daemonId}/command"
    const found = await sent(trace, [request, "guard", "command", "frame", "answer"])
    expect(found[request]).toMatchObject({
      parentSpanId: parent,
      attributes: {
        "hub.operation": "daemons.command",
        "http.response.status_code": 200,
        "hub.account.id": mine.account.accountId
      }
    })
    const within = (name: string) => found[name]?.parentSpanId
    expect([within("guard"), within("command"), within("answer")]).toEqual(Array(3).fill(found[request]?.spanId))
    expect(within("frame")).toBe(found["command"]?.spanId)
    const { data } = peer.frames.find(({ type }) => type === "command")!
    expect(data.traceparent).toBe(`00-${trace}-${found["frame"]?.spanId}-01`)
    await peer.leave()
  })

  it("shows an event from its commit to the attempt, and tells the receiver of the webhook", async () => {
    const hooks = await startReceiver()
    await hook(hub, hooks.url("/hook"), ["daemon:connect"], mine.account)
    const peer = await mine.connect()
    const { headers } = await until("it is delivered", () => hooks.at("/hook")[0])
    const [, trace = "", span] = /^00-(\w{32})-(\w{16})-01$/u.exec(String(headers["traceparent"])) ?? []
    const found = await sent(trace, ["event daemon:connect", "commit", "attempt"])
    expect(found["attempt"]).toMatchObject({
      spanId: span,
      parentSpanId: found["commit"]?.spanId,
      attributes: { "hub.event": "daemon:connect", "http.response.status_code": 200 }
    })
    expect(found["commit"]?.parentSpanId).toBe(found["event daemon:connect"]?.spanId)
    await peer.leave()
    await hooks.close()
  })

  it("keeps nothing of a trace that is not sampled, and passes nothing on", async () => {
    const peer = await mine.connect({ report: [reported("s1")] })
    peer.answerWith(() => ({}))
    const trace = newTrace()
    expect((await command({ traceparent: `00-${trace}-${parent}-00` })).status).toBe(200)
    const next = newTrace()
    expect((await command({ traceparent: `00-${next}-${parent}-01` })).status).toBe(200)
    await sent(next, ["frame"])
    expect(traceOf(receiver, trace)).toEqual({})
    const frames = peer.frames.filter(({ type }) => type === "command")
    expect(frames.map(({ data }) => "traceparent" in data)).toEqual([false, true])
    await peer.leave()
  })

  it("says neither a secret nor a text of a caller or an agent in any span", async () => {
    await until("spans have come", () => spansAt(receiver).length > 0)
    const all = receiver
      .at("/v1/traces")
      .map(({ text }) => text)
      .join()
    for (const secret of [mine.key, mine.token, "the chat text", mine.account.email]) expect(all).not.toContain(secret)
  })

  it("begins a trace of its own where the caller's is none", async () => {
    await hub.request("GET", "/api/v1/me", { key: mine.key, headers: { traceparent: "nonsense" } })
    const own = await until("its span comes", () => spansAt(receiver).find(({ name }) => name === "GET /api/v1/me"))
    expect(own.parentSpanId).toBeUndefined()
  })
})
