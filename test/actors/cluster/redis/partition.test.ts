/** A node that does not hear the others, and what only the database knows: nothing false is told, and nothing is swallowed. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { withOneMachine } from "../../../support/virtual-hub.ts"

const graceMillis = 15_000
const longMillis = 60_000

describe("a node without Redis among nodes that have it", () => {
  it("keeps its machines: nobody is told that they are gone, and from elsewhere a command ends with 503", () =>
    withOneMachine(3, (hub) =>
      Effect.gen(function* () {
        const [machine] = hub.machines
        yield* hub.dial(machine!, 0)
        hub.nodes[0]!.line.cut(false)
        yield* hub.pass(longMillis)
        expect(machine!.told).toEqual(["connected"])
        yield* hub.command(machine!, 1)
        yield* hub.pass(250)
        expect(hub.failures).toEqual(["DaemonSocketLost"])
        yield* hub.command(machine!, 0)
        expect(hub.sent().size).toBe(1)
        hub.nodes[0]!.line.mend()
        yield* hub.pass(longMillis)
        yield* hub.command(machine!, 1)
        expect(hub.sent().size).toBe(2)
        expect(machine!.told).toEqual(["connected"])
      })
    ))

  it("keeps a machine that came back to it meanwhile, however often, and tells once that it came", () =>
    withOneMachine(2, (hub) =>
      Effect.gen(function* () {
        const [machine] = hub.machines
        const [node] = hub.nodes
        node!.line.cut(false)
        yield* hub.pass(graceMillis)
        for (let at = 0; at < 3; at++) {
          yield* hub.dial(machine!, 0)
          yield* hub.pass(1_000)
        }
        node!.line.mend()
        yield* hub.pass(longMillis)
        expect(machine!.told).toEqual(["connected"])
        expect(hub.owners(machine!)).toEqual([node!.name])
        yield* hub.command(machine!, 1)
        expect(hub.sent().size).toBe(1)
        hub.hangUp(machine!, "newest", 1000)
        yield* hub.pass(1_000)
        expect(machine!.told).toEqual(["connected", "disconnected"])
        expect(hub.redis.holder(machine!.accountId, machine!.daemonId)).toBeUndefined()
      })
    ))

  it("tells in order of one that came, came back and left just as the line stood again", () =>
    withOneMachine(2, (hub) =>
      Effect.gen(function* () {
        const [machine] = hub.machines
        const [node] = hub.nodes
        node!.line.cut(false)
        yield* hub.pass(graceMillis)
        yield* hub.dial(machine!, 0)
        yield* hub.dial(machine!, 0)
        node!.line.mend()
        yield* hub.pass(500)
        hub.hangUp(machine!, "newest", 1000)
        yield* hub.pass(longMillis)
        expect(machine!.told).toEqual(["connected", "disconnected"])
        expect(hub.redis.holder(machine!.accountId, machine!.daemonId)).toBeUndefined()
      })
    ))

  it("and without the database too is taken for dead; a machine it still has then begins a new time online", () =>
    withOneMachine(2, (hub) =>
      Effect.gen(function* () {
        const [machine] = hub.machines
        const [node] = hub.nodes
        yield* hub.dial(machine!, 0)
        node!.line.cut(false)
        node!.storeless = true
        yield* hub.pass(longMillis)
        expect(machine!.told).toEqual(["connected", "disconnected"])
        node!.line.mend()
        node!.storeless = false
        yield* hub.pass(longMillis)
        expect(machine!.told).toEqual(["connected", "disconnected", "connected"])
        yield* hub.command(machine!, 1)
        expect(hub.sent().size).toBe(1)
        hub.hangUp(machine!, "newest", 1000)
        yield* hub.pass(1_000)
        expect(machine!.told).toEqual(["connected", "disconnected", "connected", "disconnected"])
      })
    ))

  it("and without the database for less than the grace gets its machines back, and nothing is told", () =>
    withOneMachine(2, (hub) =>
      Effect.gen(function* () {
        const [machine] = hub.machines
        const [node] = hub.nodes
        yield* hub.dial(machine!, 0)
        node!.line.cut(false)
        node!.storeless = true
        yield* hub.pass(graceMillis)
        expect(hub.redis.holder(machine!.accountId, machine!.daemonId)).toBe(hub.nodes[1]!.name)
        node!.line.mend()
        node!.storeless = false
        yield* hub.pass(longMillis)
        expect(machine!.told).toEqual(["connected"])
        expect(hub.owners(machine!)).toEqual([node!.name])
      })
    ))

  it("closes a machine that was revoked elsewhere, by the store's word", () =>
    withOneMachine(2, (hub) =>
      Effect.gen(function* () {
        const [machine] = hub.machines
        yield* hub.dial(machine!, 0)
        hub.nodes[0]!.line.cut(false)
        yield* hub.pass(2_000)
        yield* hub.revoke(machine!, 1)
        yield* hub.pass(3_000)
        expect(machine!.sockets[0]!.peer.closes).toEqual([4403])
        hub.nodes[0]!.line.mend()
        yield* hub.pass(longMillis)
        expect(machine!.told).toEqual(["connected", "disconnected"])
      })
    ))

  it("closes a machine that was removed elsewhere, since the store has none of its id", () =>
    withOneMachine(2, (hub) =>
      Effect.gen(function* () {
        const [machine] = hub.machines
        yield* hub.dial(machine!, 0)
        hub.nodes[0]!.line.cut(false)
        yield* hub.pass(2_000)
        const { stored, pictured } = hub.world.store
        stored.delete(machine!.daemonId)
        pictured.set(machine!.daemonId, Number.POSITIVE_INFINITY)
        yield* hub.pass(3_000)
        expect(machine!.sockets[0]!.peer.closes).toEqual([4403])
      })
    ))

  it("closes an older connection when a newer one has come elsewhere, and tells nothing", () =>
    withOneMachine(2, (hub) =>
      Effect.gen(function* () {
        const [machine] = hub.machines
        yield* hub.dial(machine!, 0)
        hub.nodes[0]!.line.cut(false)
        yield* hub.pass(2_000)
        yield* hub.dial(machine!, 1)
        yield* hub.pass(3_000)
        expect(machine!.sockets[0]!.peer.closes).toEqual([4409])
        hub.nodes[0]!.line.mend()
        yield* hub.pass(longMillis)
        expect(machine!.told).toEqual(["connected"])
        expect(hub.owners(machine!)).toEqual([hub.nodes[1]!.name])
      })
    ))
})

describe("an order whose message was lost", () => {
  it("is carried out when the node notices the hole", () =>
    withOneMachine(2, (hub) =>
      Effect.gen(function* () {
        const [machine] = hub.machines
        yield* hub.dial(machine!, 0)
        const node = hub.nodes[0]!
        node.line.cut(false)
        yield* hub.revoke(machine!, 1)
        node.line.mend()
        yield* hub.pass(3_000)
        expect(machine!.sockets[0]!.peer.closes).toEqual([4403])
      })
    ))
})

describe("all nodes killed and started anew", () => {
  for (const emptied of [false, true]) {
    it(`while Redis is away${emptied ? ", which comes back empty," : ""} tell the end of whoever does not come back, once`, () =>
      withOneMachine(2, (hub) =>
        Effect.gen(function* () {
          const [machine] = hub.machines
          yield* hub.dial(machine!, 0)
          yield* hub.pass(2_000)
          for (const at of [0, 1]) yield* hub.stop(at, "killed")
          if (emptied) hub.redis.flush()
          for (const at of [0, 1]) yield* hub.start(at, true)
          yield* hub.pass(longMillis)
          expect(machine!.told).toEqual(["connected"])
          for (const { line } of hub.nodes) line.mend()
          yield* hub.pass(longMillis)
          expect(machine!.told).toEqual(["connected", "disconnected"])
        })
      ))

    it(`while Redis is away${emptied ? ", which comes back empty," : ""} tell nothing of whoever comes back meanwhile`, () =>
      withOneMachine(2, (hub) =>
        Effect.gen(function* () {
          const [machine] = hub.machines
          yield* hub.dial(machine!, 0)
          yield* hub.pass(2_000)
          for (const at of [0, 1]) yield* hub.stop(at, "killed")
          if (emptied) hub.redis.flush()
          for (const at of [0, 1]) yield* hub.start(at, true)
          yield* hub.dial(machine!, 1)
          yield* hub.pass(longMillis)
          for (const { line } of hub.nodes) line.mend()
          yield* hub.pass(longMillis)
          expect(machine!.told).toEqual(["connected"])
          hub.hangUp(machine!, "newest", 1000)
          yield* hub.pass(1_000)
          expect(machine!.told).toEqual(["connected", "disconnected"])
        })
      ))
  }

  it("with a node dead and Redis emptied, a survivor tells the end of the dead one's machine", () =>
    withOneMachine(2, (hub) =>
      Effect.gen(function* () {
        const [machine] = hub.machines
        yield* hub.dial(machine!, 0)
        yield* hub.pass(2_000)
        yield* hub.stop(0, "killed")
        hub.nodes[1]!.line.cut(false)
        yield* hub.pass(2_000)
        hub.redis.flush()
        hub.nodes[1]!.line.mend()
        yield* hub.pass(longMillis)
        expect(machine!.told).toEqual(["connected", "disconnected"])
      })
    ))
})
