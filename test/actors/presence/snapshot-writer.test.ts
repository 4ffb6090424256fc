/** SnapshotWriter on their way to the store. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import { SnapshotWriter } from "../../../actors/presence/snapshot-writer.ts"
import { snapshotsWrittenMax } from "../../../src/limits.ts"
import { counted } from "../../../src/runtime/metrics.ts"
import { connect } from "../../support/daemon-services.ts"
import { session, snapshot } from "../../support/snapshots.ts"
import { inWorld } from "../../support/with-daemon-services.ts"

describe("snapshots", () => {
  inWorld("are read back true before they are written", function* ({ enrol, store }) {
    const { token, accountId, daemonId } = enrol()
    const directory = yield* Directory
    const peer = yield* connect(token)
    yield* TestClock.adjust(1_000)
    expect(store.tables.daemons.get(daemonId)?.snapshot.online).toBe(true)
    peer.say("status_report", { timestamp: 1, sessions: [session("s1")] })
    peer.link.closed(1000)
    expect(store.tables.daemons.get(daemonId)?.snapshot.online).toBe(true)
    const snapshot = yield* directory.snapshot(accountId, daemonId)
    expect([snapshot.online, snapshot.sessions.length]).toEqual([false, 1])
  })

  inWorld(
    "are written at most once a second, the latest of each daemon, many in one statement",
    function* ({ enrol, store }) {
      const peers = yield* Effect.forEach([1, 2, 3], () => connect(enrol().token))
      yield* TestClock.adjust(1_000)
      const { length } = store.saves
      for (let n = 1; n <= 5; n++) {
        for (const peer of peers) peer.say("status_report", { timestamp: n, sessions: [session(`s${n}`)] })
      }
      yield* TestClock.adjust(1_000)
      yield* TestClock.adjust(5_000)
      expect(store.saves.length - length).toBeLessThanOrEqual(2)
      expect([...store.tables.daemons.values()].map(({ snapshot }) => snapshot.sessions[0]?.id)).toEqual([
        "s5",
        "s5",
        "s5"
      ])
    }
  )

  inWorld("the store did not take are written when it is back, the newest only", function* ({ enrol, store }) {
    const { token, daemonId } = enrol()
    const peer = yield* connect(token)
    yield* TestClock.adjust(1_000)
    const faults = counted("hub_defects_total", "snapshots")
    store.failing = true
    peer.say("status_report", { timestamp: 1, sessions: [session("s1")] })
    yield* TestClock.adjust(3_000)
    peer.say("status_report", { timestamp: 2, sessions: [session("s2")] })
    store.failing = false
    yield* TestClock.adjust(2_000)
    expect(store.tables.daemons.get(daemonId)?.snapshot.sessions[0]?.id).toBe("s2")
    expect((yield* SnapshotWriter).waiting()).toBe(0)
    // a store that is away is no fault of the hub itself
    expect(counted("hub_defects_total", "snapshots")).toBe(faults)
  })

  inWorld("that cannot be stored are given up alone: their neighbours are written", function* ({ store }) {
    const snapshots = yield* SnapshotWriter
    const odd = snapshot([], { daemonId: "odd" })
    // as a value would that cannot be written as JSON
    Object.defineProperty(odd, "hostname", { enumerable: true, get: () => globalThis.JSON.parse("{") })
    for (const one of [snapshot([], { daemonId: "a" }), odd, snapshot([], { daemonId: "b" })]) snapshots.changed(one)
    const faults = counted("hub_defects_total", "snapshots")
    yield* snapshots.flush
    expect(counted("hub_defects_total", "snapshots")).toBe(faults + 1)
    expect(store.saves.flat().map(({ daemonId }) => daemonId)).toEqual(["a", "b"])
    expect([snapshots.waiting(), snapshots.unwritten("odd"), snapshots.unwritten("a")]).toEqual([
      0,
      undefined,
      undefined
    ])
  })

  inWorld("go 500 to a statement", function* ({ store }) {
    const snapshots = yield* SnapshotWriter
    for (let n = 0; n <= snapshotsWrittenMax; n++) snapshots.changed(snapshot([], { daemonId: `d${n}` }))
    yield* snapshots.flush
    expect(store.saves.map(({ length }) => length)).toEqual([snapshotsWrittenMax, 1])
  })
})
