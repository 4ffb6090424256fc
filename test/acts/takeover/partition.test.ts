/**
 * A node that does not hear the others, and what only the database knows: nothing false is told, and nothing is
 * swallowed.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { withOneDaemon } from "../../support/virtual-hub.ts"

const graceMillis = 15_000
const longMillis = 60_000

describe("a node without Redis among nodes that have it", () => {
  it("keeps its daemons: nobody is told that they are gone, and from elsewhere a command ends with 503", () =>
    withOneDaemon(3, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        yield* hub.dial(daemon!, 0)
        hub.nodes[0]!.line.cut(false)
        yield* hub.pass(longMillis)
        expect(hub.told(daemon!)).toEqual(["connected"])
        yield* hub.command(daemon!, 1)
        yield* hub.pass(250)
        expect(hub.failures).toEqual(["DaemonSocketLost"])
        yield* hub.command(daemon!, 0)
        expect(hub.sent().size).toBe(1)
        hub.nodes[0]!.line.mend()
        yield* hub.pass(longMillis)
        yield* hub.command(daemon!, 1)
        expect(hub.sent().size).toBe(2)
        expect(hub.told(daemon!)).toEqual(["connected"])
      })
    ))

  it("keeps a daemon that came back to it meanwhile, however often, and tells once that it came", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        const [node] = hub.nodes
        node!.line.cut(false)
        yield* hub.pass(graceMillis)
        for (let at = 0; at < 3; at++) {
          yield* hub.dial(daemon!, 0)
          yield* hub.pass(1_000)
        }
        node!.line.mend()
        yield* hub.pass(longMillis)
        expect(hub.told(daemon!)).toEqual(["connected"])
        expect(hub.owners(daemon!)).toEqual([node!.name])
        yield* hub.command(daemon!, 1)
        expect(hub.sent().size).toBe(1)
        hub.hangUp(daemon!, "newest", 1000)
        yield* hub.pass(1_000)
        expect(hub.told(daemon!)).toEqual(["connected", "disconnected"])
        expect(hub.holder(daemon!)).toBeNull()
      })
    ))

  it("tells in order of one that came, came back and left just as the line stood again", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        const [node] = hub.nodes
        node!.line.cut(false)
        yield* hub.pass(graceMillis)
        yield* hub.dial(daemon!, 0)
        yield* hub.dial(daemon!, 0)
        node!.line.mend()
        yield* hub.pass(500)
        hub.hangUp(daemon!, "newest", 1000)
        yield* hub.pass(longMillis)
        expect(hub.told(daemon!)).toEqual(["connected", "disconnected"])
        expect(hub.holder(daemon!)).toBeNull()
      })
    ))

  it("and without the database too is taken for dead; a daemon it still has then begins a new time online", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        const [node] = hub.nodes
        yield* hub.dial(daemon!, 0)
        node!.line.cut(false)
        node!.storeless = true
        yield* hub.pass(longMillis)
        expect(hub.told(daemon!)).toEqual(["connected", "disconnected"])
        node!.line.mend()
        node!.storeless = false
        yield* hub.pass(longMillis)
        expect(hub.told(daemon!)).toEqual(["connected", "disconnected", "connected"])
        yield* hub.command(daemon!, 1)
        expect(hub.sent().size).toBe(1)
        hub.hangUp(daemon!, "newest", 1000)
        yield* hub.pass(1_000)
        expect(hub.told(daemon!)).toEqual(["connected", "disconnected", "connected", "disconnected"])
      })
    ))

  it("and without the database for less than the grace gets its daemons back, and nothing is told", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        const [node] = hub.nodes
        yield* hub.dial(daemon!, 0)
        node!.line.cut(false)
        node!.storeless = true
        yield* hub.pass(graceMillis)
        expect(hub.holder(daemon!)).toBe(hub.nodes[1]!.name)
        node!.line.mend()
        node!.storeless = false
        yield* hub.pass(longMillis)
        expect(hub.told(daemon!)).toEqual(["connected"])
        expect(hub.owners(daemon!)).toEqual([node!.name])
      })
    ))

  it("closes a daemon that was revoked elsewhere, by the store's word", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        yield* hub.dial(daemon!, 0)
        hub.nodes[0]!.line.cut(false)
        yield* hub.pass(2_000)
        yield* hub.revoke(daemon!, 1)
        yield* hub.pass(3_000)
        expect(daemon!.sockets[0]!.peer.closes).toEqual([4403])
        hub.nodes[0]!.line.mend()
        yield* hub.pass(longMillis)
        expect(hub.told(daemon!)).toEqual(["connected", "disconnected"])
      })
    ))

  it("closes a daemon that was removed elsewhere, since the store has none of its id", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        yield* hub.dial(daemon!, 0)
        hub.nodes[0]!.line.cut(false)
        yield* hub.pass(2_000)
        const { stored, storedEpochs } = hub.world.store
        stored.delete(daemon!.daemonId)
        storedEpochs.set(daemon!.daemonId, Number.POSITIVE_INFINITY)
        yield* hub.pass(3_000)
        expect(daemon!.sockets[0]!.peer.closes).toEqual([4403])
      })
    ))

  it("closes an older connection when a newer one has come elsewhere, and tells nothing", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        yield* hub.dial(daemon!, 0)
        hub.nodes[0]!.line.cut(false)
        yield* hub.pass(2_000)
        yield* hub.dial(daemon!, 1)
        yield* hub.pass(3_000)
        expect(daemon!.sockets[0]!.peer.closes).toEqual([4409])
        hub.nodes[0]!.line.mend()
        yield* hub.pass(longMillis)
        expect(hub.told(daemon!)).toEqual(["connected"])
        expect(hub.owners(daemon!)).toEqual([hub.nodes[1]!.name])
      })
    ))
})

describe("an order whose message was lost", () => {
  it("is carried out when the node notices the hole", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        yield* hub.dial(daemon!, 0)
        const node = hub.nodes[0]!
        node.line.cut(false)
        yield* hub.revoke(daemon!, 1)
        node.line.mend()
        yield* hub.pass(3_000)
        expect(daemon!.sockets[0]!.peer.closes).toEqual([4403])
      })
    ))
})

describe("all nodes killed and started anew", () => {
  for (const emptied of [false, true]) {
    it(`while Redis is away${emptied ? ", which comes back empty," : ""} tell the end of whoever does not come back, once`, () =>
      withOneDaemon(2, (hub) =>
        Effect.gen(function* () {
          const [daemon] = hub.daemons
          yield* hub.dial(daemon!, 0)
          yield* hub.pass(2_000)
          for (const at of [0, 1]) yield* hub.stop(at, "killed")
          if (emptied) hub.redis.flush()
          for (const at of [0, 1]) yield* hub.start(at, true)
          yield* hub.pass(longMillis)
          expect(hub.told(daemon!)).toEqual(["connected", "disconnected"])
          for (const { line } of hub.nodes) line.mend()
          yield* hub.pass(longMillis)
          expect(hub.told(daemon!)).toEqual(["connected", "disconnected"])
        })
      ))

    it(`while Redis is away${emptied ? ", which comes back empty," : ""} tell nothing of whoever comes back meanwhile`, () =>
      withOneDaemon(2, (hub) =>
        Effect.gen(function* () {
          const [daemon] = hub.daemons
          yield* hub.dial(daemon!, 0)
          yield* hub.pass(2_000)
          for (const at of [0, 1]) yield* hub.stop(at, "killed")
          if (emptied) hub.redis.flush()
          for (const at of [0, 1]) yield* hub.start(at, true)
          yield* hub.dial(daemon!, 1)
          yield* hub.pass(longMillis)
          for (const { line } of hub.nodes) line.mend()
          yield* hub.pass(longMillis)
          expect(hub.told(daemon!)).toEqual(["connected"])
          hub.hangUp(daemon!, "newest", 1000)
          yield* hub.pass(1_000)
          expect(hub.told(daemon!)).toEqual(["connected", "disconnected"])
        })
      ))
  }

  it("with a node dead and Redis emptied, a survivor tells the end of the dead one's daemon", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        yield* hub.dial(daemon!, 0)
        yield* hub.pass(2_000)
        yield* hub.stop(0, "killed")
        hub.nodes[1]!.line.cut(false)
        yield* hub.pass(2_000)
        hub.redis.flush()
        hub.nodes[1]!.line.mend()
        yield* hub.pass(longMillis)
        expect(hub.told(daemon!)).toEqual(["connected", "disconnected"])
      })
    ))
})
