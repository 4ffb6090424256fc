/** A connection that is about to be welcomed while its daemon has a newer one elsewhere. */
import { Exit } from "effect"
import { describe, expect, it } from "vitest"
import { type ConnectionContext, DaemonConnection } from "../../../actors/connections/handshake.ts"
import type { Admitted } from "../../../actors/connections/token-decision.ts"
import { UnauthenticatedSockets } from "../../../actors/connections/unauthenticated.ts"
import { ReportScheduler } from "../../../actors/limits/report-scheduler.ts"
import { authOf, FakePeer } from "../../support/daemon-world.ts"
import { snapshot } from "../../support/snapshots.ts"

type When = (admit: () => void) => void
const atOnce: When = (admit) => admit()

/** What becomes of a connection with this number on a node that holds `here`, when the others say `elsewhere`. */
const arrive = (epoch: number, here: number | undefined, elsewhere: number | undefined, when = atOnce): FakePeer => {
  const known = (at: number | undefined) => (at === undefined ? undefined : snapshot([], { epoch: at }))
  const owner = { daemonId: "d", accountId: "a", plan: "pro", nickname: "" }
  const admitted = { owner, epoch, word: "moved", before: known(elsewhere), ice: { iceServers: [], turn: false } }
  const before = known(here)
  const around = {
    timers: { now: () => 0, steady: () => 0, after: () => ({ clear: () => {} }) },
    roster: { find: () => before && { snapshot: before }, joined: () => {} },
    supervisor: { spawn: () => ({ tell: () => true }) },
    strangers: new UnauthenticatedSockets(),
    shares: new ReportScheduler({ now: () => 0, after: () => ({ clear: () => {} }) }),
    awaited: new Map(),
    alive: new Set(),
    note: () => {},
    admit: (_: string, _charged: boolean, then: (exit: Exit.Exit<Admitted>) => void) =>
      when(() => then(Exit.succeed(admitted as never)))
  }
  const peer = new FakePeer()
  peer.link = new DaemonConnection(around as unknown as ConnectionContext, peer)
  peer.say("auth", authOf("any"))
  return peer
}

describe("a connection", () => {
  it("is closed with 4409, never welcomed, when a newer one is here or elsewhere", () => {
    for (const [here, elsewhere] of [
      [1, 3],
      [undefined, 3],
      [3, 1],
      [3, undefined],
      [2, undefined],
      [undefined, 2]
    ]) {
      const peer = arrive(2, here, elsewhere)
      expect([peer.closes, peer.of("auth_ok")]).toEqual([[4409], []])
    }
  })

  it("is never welcomed once its socket is closed, although that is not dealt with yet", () => {
    let admit = (): void => {}
    const peer = arrive(2, undefined, undefined, (now) => {
      admit = now
    })
    peer.link.gone(1006)
    admit()
    expect([peer.closes, peer.of("auth_ok")]).toEqual([[], []])
  })

  it("is welcomed when all others are older", () => {
    for (const [here, elsewhere] of [
      [1, 1],
      [undefined, 1],
      [1, undefined],
      [undefined, undefined]
    ]) {
      const peer = arrive(2, here, elsewhere)
      expect([peer.closes, peer.of("auth_ok").length]).toEqual([[], 1])
    }
  })
})
