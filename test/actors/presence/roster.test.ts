/** A time online that begins where the last one ended on another node. */
import { describe, expect } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import { connect, settle } from "../../support/daemon-services.ts"
import { inWorld } from "../../support/with-daemon-services.ts"

describe("presence", () => {
  inWorld(
    "begins where the last time online ended on another node, whose clock is ahead",
    function* ({ enrol, told, tables }) {
      const { token, accountId, daemonId } = enrol()
      const directory = yield* Directory
      tables.presence.set(daemonId, { epoch: 7, node: null, since: null, lastEndedAt: 5_000 })
      const peer = yield* connect(token)
      expect((yield* directory.snapshot(accountId, daemonId)).connectedAt).toBe(5_000)
      peer.link.closed(1000)
      yield* settle
      expect(told.log).toEqual(["connected box", "disconnected box: closed after 0"])
      expect(tables.presence.get(daemonId)).toMatchObject({ epoch: 8, node: null, lastEndedAt: 5_000 })
    }
  )

  inWorld("is not begun when the daemon came and went on other nodes at each try", function* ({ enrol, told, tables }) {
    const { token, daemonId } = enrol()
    let end = 0
    const presence = {
      epoch: 7,
      node: null,
      since: null,
      get lastEndedAt() {
        end += 1_000
        return end
      }
    }
    tables.presence.set(daemonId, presence)
    const peer = yield* connect(token)
    expect(peer.closes).toEqual([4500])
    expect(told.log).toEqual([])
  })
})
