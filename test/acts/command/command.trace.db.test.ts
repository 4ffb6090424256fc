/** docs/daemon-protocol.md: the trace of a command. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connectedDaemon } from "../../support/connected-daemon.ts"
import { databaseMissing } from "../../support/database.ts"
import { startHub, type TestHub } from "../../support/hub.ts"
import { type Receiver, startReceiver } from "../../support/webhook-receiver.ts"

describe.skipIf(databaseMissing)("a command", () => {
  let receiver: Receiver
  let traced: TestHub
  let plain: TestHub
  beforeAll(async () => {
    receiver = await startReceiver()
    traced = await startHub({ settings: { otelEndpoint: receiver.url() } })
    plain = await startHub()
  })
  afterAll(async () => {
    await traced?.close()
    await plain?.close()
    await receiver?.close()
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
