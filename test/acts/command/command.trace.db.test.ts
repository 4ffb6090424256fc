/** docs/daemon-protocol.md: the trace of a command. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connectedDaemon } from "../../support/connected-daemon.ts"
import { startHub, type TestHub } from "../../support/hub.ts"
import { useReceiver } from "../../support/use-started.ts"

describe("a command", () => {
  const receiver = useReceiver()
  let traced: TestHub
  let plain: TestHub
  beforeAll(async () => {
    traced = await startHub({ settings: { otelEndpoint: receiver.url() } })
    plain = await startHub()
  })
  afterAll(async () => {
    await traced?.close()
    await plain?.close()
  })
  const frameOf = async (hub: TestHub) => {
    const { peer, command } = await connectedDaemon(hub)
    peer.answerWith(() => ({}))
    expect((await command("read_chat")).status).toBe(200)
    return peer.frames.find(({ type }) => type === "command")!.data
  }

  it("P114: has a traceparent where the hub traces, and none where it does not", async () => {
    expect(await frameOf(traced)).toMatchObject({ traceparent: expect.stringMatching(/^00-\w{32}-\w{16}-01$/u) })
    expect(await frameOf(plain)).not.toHaveProperty("traceparent")
  })
})
