/** The list of an account's daemons is put in order once, and again after whatever changes one of them. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import { connect } from "../../support/daemon-services.ts"
import { session } from "../../support/snapshots.ts"
import { inWorld } from "../../support/with-daemon-services.ts"

describe("the list of daemons online", () => {
  inWorld("is the same array until something is new", function* ({ enrol }) {
    const { token, accountId } = enrol()
    const directory = yield* Directory
    yield* connect(token)
    const once = yield* directory.online(accountId)
    expect(yield* directory.online(accountId)).toBe(once)
  })

  inWorld("is new after a report, a report that says the same, a loss, a return and an order", function* ({ enrol }) {
    const { token, accountId, daemonId } = enrol()
    const directory = yield* Directory
    const seen = new Set<unknown>()
    const look = Effect.suspend(() =>
      Effect.map(directory.online(accountId), (list) => {
        seen.add(list)
        return list[0]
      })
    )
    const peer = yield* connect(token)
    expect((yield* look)?.sessions).toEqual([])
    yield* TestClock.adjust(1_000)
    peer.say("status_report", { timestamp: 1, sessions: [session("s1")] })
    expect(yield* look).toMatchObject({ lastSeenAt: 1_000, sessions: [{ id: "s1" }] })
    yield* TestClock.adjust(1_000)
    peer.say("status_report", { timestamp: 2, sessions: [session("s1")] })
    expect(yield* look).toMatchObject({ lastSeenAt: 2_000 })
    yield* TestClock.adjust(1_000)
    peer.link.heard()
    peer.link.closed(1006)
    expect(yield* look).toMatchObject({ lastSeenAt: 3_000, online: true })
    yield* connect(token)
    expect(yield* look).toMatchObject({ epoch: 2 })
    yield* directory.disconnect(accountId, daemonId)
    expect(yield* look).toBeUndefined()
    expect(seen.size).toBe(6)
  })
})
