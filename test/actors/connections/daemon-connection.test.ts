/** A connection that is about to be welcomed while its daemon may have a newer one. */
import { Exit } from "effect"
import { describe, expect, it } from "vitest"
import type { Admitted } from "../../../actors/connections/authentication.ts"
import { type ConnectionContext, DaemonConnection } from "../../../actors/connections/daemon-connection.ts"
import { UnauthenticatedSockets } from "../../../actors/connections/unauthenticated.ts"
import { ReportScheduler } from "../../../actors/daemon/report-scheduler.ts"
import { makeNodeCost } from "../../../src/runtime/node-cost.ts"
import { authOf, FakePeer } from "../../support/daemon-services.ts"
import { snapshot } from "../../support/snapshots.ts"

type When = (admit: () => void) => void
const atOnce: When = (admit) => admit()

/** What becomes of a connection whose claim got this number on a node where the daemon is by the claim `here`. */
const arrive = (epoch: number, here: number | undefined, when = atOnce): FakePeer => {
  const owner = { daemonId: "d", accountId: "a", plan: "pro", nickname: "" }
  const admitted = { owner, claimed: { epoch, told: undefined }, ice: { iceServers: [], turn: false } }
  const before = here === undefined ? undefined : snapshot([], { epoch: here })
  const context = {
    timers: { now: () => 0, monotonic: () => 0, after: () => ({ clear: () => {} }) },
    roster: {
      find: () => before && { snapshot: before },
      claimedBy: (_: string, at: number) => (at === here ? before : undefined),
      joined: () => {}
    },
    supervisor: { spawn: () => ({ tell: () => true }) },
    unauthenticated: new UnauthenticatedSockets(),
    shares: new ReportScheduler(
      { now: () => 0, after: () => ({ clear: () => {} }) },
      makeNodeCost(() => 0)
    ),
    awaitingAuth: new Map(),
    alive: new Set(),
    log: { opened: () => ({ frames: 0 }), connected: () => {}, ended: () => {} },
    admit: (_: string, _auth: unknown, _charged: boolean, then: (exit: Exit.Exit<Admitted>) => void) =>
      when(() => then(Exit.succeed(admitted as never)))
  }
  const peer = new FakePeer()
  peer.link = new DaemonConnection(context as unknown as ConnectionContext, peer)
  peer.say("auth", authOf("any"))
  return peer
}

describe("a connection", () => {
  it("is closed with 4409, never welcomed, when a newer one has claimed its daemon", () => {
    const peer = arrive(2, 3)
    expect([peer.closes, peer.of("auth_ok")]).toEqual([[4409], []])
  })

  it("is closed with 4500, never welcomed, when its daemon has gone from this node meanwhile", () => {
    const peer = arrive(2, undefined)
    expect([peer.closes, peer.of("auth_ok")]).toEqual([[4500], []])
  })

  it("is never welcomed once its socket is closed, although that is not dealt with yet", () => {
    let admit = (): void => {}
    const peer = arrive(2, 2, (now) => {
      admit = now
    })
    peer.link.gone(1006)
    admit()
    expect([peer.closes, peer.of("auth_ok")]).toEqual([[], []])
  })

  it("is welcomed while its claim is the newest", () => {
    const peer = arrive(2, 2)
    expect([peer.closes, peer.of("auth_ok").length]).toEqual([[], 1])
  })
})
