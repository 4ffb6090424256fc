/** An older token of a daemon, on a node that has not heard yet that the newer one is in use. */
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { Connections } from "../../../actors/connections/connections.ts"
import type { UpgradePass } from "../../../actors/connections/upgrade-admission.ts"
import { hashCredential } from "../../../src/auth/api-key.ts"
import { endOlderTokens } from "../../simulation/store/daemon-statements.ts"
import { authOf, connect, type Enrolled, FakePeer, type makeWorld, settle } from "../../support/daemon-services.ts"
import { inWorld } from "../../support/with-daemon-services.ts"

/** Another node admits this token; this one hears nothing of it. */
const usedElsewhere = ({ tables }: ReturnType<typeof makeWorld>, { token }: Enrolled): void =>
  endOlderTokens(tables, hashCredential(token), 0)

/** A socket whose token came with the upgrade, before it says its `auth`. */
const upgraded = ({ token }: Enrolled) =>
  Effect.gen(function* () {
    const connections = yield* Connections
    const peer = new FakePeer()
    const pass = yield* Effect.callback<UpgradePass>((resume) => {
      connections.check(token, peer.address, (outcome) => resume(Effect.succeed(outcome as UpgradePass)))
    })
    peer.link = connections.open(peer, pass)
    return peer
  })

describe("an older token", () => {
  inWorld("takes no connection from the newer one, although this node remembers it as good", function* (world) {
    const before = world.enrol()
    const peer = yield* connect(before.token)
    peer.link.closed(1006)
    usedElsewhere(world, world.enrolAgain(before))
    const late = yield* connect(before.token)
    expect(late.of("auth_error")).toEqual([{ reason: "token_revoked", at: "token" }])
    expect([late.closes, late.of("auth_ok")]).toEqual([[4403], []])
  })

  inWorld("costs no look-up more than it would alone, and the newer one none", function* (world) {
    const before = world.enrol()
    yield* connect(before.token)
    const renewed = world.enrolAgain(before)
    const { lookups } = world.store
    yield* connect(before.token)
    expect(world.store.lookups).toBe(lookups)
    yield* connect(renewed.token)
    yield* settle
    const after = world.store.lookups
    yield* connect(renewed.token)
    expect(world.store.lookups).toBe(after)
  })

  inWorld("closes no socket that waits for its auth with the newer one", function* (world) {
    const before = world.enrol()
    const newer = yield* upgraded(world.enrolAgain(before))
    const older = yield* upgraded(before)
    expect([newer.closes, older.closes]).toEqual([[], []])
    newer.say("auth", authOf(""))
    yield* settle
    older.say("auth", authOf(""))
    yield* settle
    expect([newer.closes, newer.of("auth_ok").length]).toEqual([[], 1])
    expect([older.closes, older.of("auth_ok").length]).toEqual([[4403], 0])
  })
})
