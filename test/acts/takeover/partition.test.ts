/**
 * A node that does not hear the others, and what only the database knows: nothing false is told, and nothing is
 * swallowed. Not repeated here: what the simulation's scenarios lapse, missedMove, missedRevocation and bounce show,
 * and redis-partition.faults.test.ts.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type Body, effectOf } from "../../support/effect-test.ts"
import { type VirtualDaemon, type VirtualHub, withOneDaemon } from "../../support/virtual-hub.ts"

const graceMillis = 15_000
const longMillis = 60_000

/** A test that has a hub of two nodes and one daemon go this course. */
const course = (name: string, steps: Body<[hub: VirtualHub, daemon: VirtualDaemon]>): void =>
  it(name, () => withOneDaemon(2, (hub) => effectOf(steps)(hub, hub.daemons[0]!)))

describe("a node without Redis among nodes that have it", () => {
  course(
    "tells in order of a daemon that came, came back and left just as the line stood again",
    function* (hub, daemon) {
      const [node] = hub.nodes
      node!.line.cut(false)
      yield* hub.pass(graceMillis)
      yield* hub.dial(daemon, 0)
      yield* hub.dial(daemon, 0)
      node!.line.mend()
      yield* hub.pass(500)
      hub.hangUp(daemon, 1000)
      yield* hub.pass(longMillis)
      expect(hub.told(daemon)).toEqual(["connected", "disconnected"])
      expect(hub.holder(daemon)).toBeNull()
    }
  )

  course(
    "and without the database for less than the grace gets its daemons back, and nothing is told",
    function* (hub, daemon) {
      const [node] = hub.nodes
      yield* hub.dial(daemon, 0)
      node!.line.cut(false)
      node!.storeless = true
      yield* hub.pass(graceMillis)
      expect(hub.holder(daemon)).toBe(hub.nodes[1]!.name)
      node!.line.mend()
      node!.storeless = false
      yield* hub.pass(longMillis)
      expect(hub.told(daemon)).toEqual(["connected"])
      expect(hub.owners(daemon)).toEqual([node!.name])
    }
  )

  course("closes a daemon that was revoked elsewhere, by the store's word", function* (hub, daemon) {
    yield* hub.dial(daemon, 0)
    hub.nodes[0]!.line.cut(false)
    yield* hub.pass(2_000)
    yield* hub.revoke(daemon, 1)
    yield* hub.pass(3_000)
    expect(daemon.sockets[0]!.peer.closes).toEqual([4403])
    hub.nodes[0]!.line.mend()
    yield* hub.pass(longMillis)
    expect(hub.told(daemon)).toEqual(["connected", "disconnected"])
  })
})

describe("all nodes killed and started anew", () => {
  describe.each([
    ["which kept what it holds", false],
    ["which comes back empty", true]
  ])("while Redis is away, %s,", (_, emptied) => {
    const restart = (hub: VirtualHub, daemon: VirtualDaemon) =>
      Effect.gen(function* () {
        yield* hub.dial(daemon, 0)
        yield* hub.pass(2_000)
        for (const at of [0, 1]) yield* hub.stop(at, "killed")
        if (emptied) hub.redis.flush()
        for (const at of [0, 1]) yield* hub.start(at, true)
      })
    const mend = (hub: VirtualHub) =>
      Effect.suspend(() => {
        for (const { line } of hub.nodes) line.mend()
        return hub.pass(longMillis)
      })

    course("tell the end of a daemon that does not come back, once", function* (hub, daemon) {
      yield* restart(hub, daemon)
      yield* hub.pass(longMillis)
      expect(hub.told(daemon)).toEqual(["connected", "disconnected"])
      yield* mend(hub)
      expect(hub.told(daemon)).toEqual(["connected", "disconnected"])
    })

    course("tell nothing of one that comes back meanwhile", function* (hub, daemon) {
      yield* restart(hub, daemon)
      yield* hub.dial(daemon, 1)
      yield* hub.pass(longMillis)
      yield* mend(hub)
      expect(hub.told(daemon)).toEqual(["connected"])
      hub.hangUp(daemon, 1000)
      yield* hub.pass(1_000)
      expect(hub.told(daemon)).toEqual(["connected", "disconnected"])
    })
  })

  course(
    "with a node dead and Redis emptied, a survivor tells the end of the dead one's daemon",
    function* (hub, daemon) {
      yield* hub.dial(daemon, 0)
      yield* hub.pass(2_000)
      yield* hub.stop(0, "killed")
      hub.nodes[1]!.line.cut(false)
      yield* hub.pass(2_000)
      hub.redis.flush()
      hub.nodes[1]!.line.mend()
      yield* hub.pass(longMillis)
      expect(hub.told(daemon)).toEqual(["connected", "disconnected"])
    }
  )
})
