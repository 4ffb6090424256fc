/** docs/daemon-protocol.md: tags. */
import { describe, expect, it } from "vitest"
import { tagsPerDaemonMax } from "../../../src/limits.ts"
import { inTurn, ownedDaemon } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"

const hub = useHub({ virtual: true })

describe("tags in auth", () => {
  it("P112: are kept as far as they fit, and the rest is counted without its key", async () => {
    const mine = await ownedDaemon(hub)
    const many = Object.fromEntries(Array.from({ length: tagsPerDaemonMax + 1 }, (_, at) => [`k${at}`, "v"]))
    const peer = await mine.connect({
      auth: { tags: { "Secret Key": "x", long: "v".repeat(64), n: 1, a: "b,c", ...many } }
    })
    await inTurn(peer)
    const shown = await mine.status()
    expect(Object.keys(shown.tags)).toEqual(Object.keys(many).slice(0, tagsPerDaemonMax))
    expect(shown.problems).toEqual([
      { at: "auth.tags", reason: "has a key or a value that does not fit" },
      { at: "auth.tags", reason: `is beyond the ${tagsPerDaemonMax} that are kept` }
    ])
    await peer.leave()
  })

  it("P112: that are no object, or null, are none", async () => {
    for (const tags of [null, "env=prod", ["env"]]) {
      const mine = await ownedDaemon(hub)
      const peer = await mine.connect({ auth: { tags } })
      await inTurn(peer)
      expect((await mine.status()).tags).toEqual({})
      await peer.leave()
    }
  })

  it("P113: give way to the owner's of the same key, and are replaced by the next auth", async () => {
    const mine = await ownedDaemon(hub)
    const peer = await mine.connect({ auth: { tags: { env: "dev", gpu: "" } } })
    await inTurn(peer)
    const session = await mine.account.session()
    const put = (tags: unknown) =>
      hub.request("PUT", `/api/v1/daemons/${mine.daemonId}/tags`, { session, body: { tags } })
    await put({ env: "prod" })
    expect((await mine.status()).tags).toEqual({ env: "prod", gpu: "" })
    await put({})
    expect((await mine.status()).tags).toEqual({ env: "dev", gpu: "" })
    const next = await mine.connect({ auth: { tags: { arch: "arm" } } })
    await inTurn(next)
    expect((await mine.status()).tags).toEqual({ arch: "arm" })
    const last = await mine.connect()
    await inTurn(last)
    expect((await mine.status()).tags).toEqual({})
    await last.leave()
  })
})
