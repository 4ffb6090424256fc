/** Header values with bytes outside ASCII, which the HTTP library trims at both ends. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { useHub } from "../../support/hub.ts"
import { openWire, type Wire } from "../../support/raw-http-connection.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"

describe("a header value of which the library leaves nothing", () => {
  const hub = useHub({ virtual: true })
  let key: string
  let path: string
  let peer: Peer
  let wire: Wire
  beforeAll(async () => {
    const account = await hub.account()
    key = await account.key(["ide:control"])
    const daemon = await account.daemonToken()
    path = `/api/v1/daemons/${daemon.daemonId}/command`
    peer = await connectDaemon(hub, daemon.token, { report: [] })
    wire = await openWire(hub.url)
  })
  afterAll(async () => {
    wire?.destroy()
    peer?.leave()
  })

  const ask = async (lines: ReadonlyArray<string>, body: string) => {
    wire.write(`${[...lines, "host: h"].join("\r\n")}\r\n\r\n${body}`)
    const answer = await wire.answer()
    return { status: answer?.status, problem: JSON.parse(answer?.body ?? "null") }
  }

  it.each(["é", "ключ", "é ü", ""])("refuses a command under the Idempotency-Key '%s': it is not run", async (name) => {
    const body = JSON.stringify({ type: "read_chat", payload: {} })
    const head = [`POST ${path} HTTP/1.1`, `authorization: Bearer ${key}`, `content-length: ${body.length}`]
    const { status, problem } = await ask([...head, `idempotency-key: ${name}`], body)
    expect([status, problem.issues[0].path]).toEqual([400, "Idempotency-Key"])
    expect(peer.frames.filter((frame) => frame.type === "command")).toEqual([])
  })

  it.each(["é", ""])("calls the credential '%s' a bad one, and not an absent one", async (name) => {
    const { status, problem } = await ask(["GET /api/v1/me HTTP/1.1", `authorization: ${name}`], "")
    expect([status, problem.reason]).toEqual([401, "AUTH_INVALID"])
  })

  it("lets a good credential pass with such bytes behind it: whoever sends it holds all of it", async () => {
    const { status } = await ask(["GET /api/v1/me HTTP/1.1", `authorization: Bearer ${key}é`], "")
    expect(status).toBe(200)
  })
})
