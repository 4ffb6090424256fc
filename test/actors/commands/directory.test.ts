/** Which daemon is where: routing, ownership, orders, the list. */
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import type { ListCursor } from "../../../actors/presence/daemon-list.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { newId } from "../../../src/domain/ids.ts"
import { clocksApartMillisMax } from "../../../src/limits.ts"
import { connect, type Enrolled, settle } from "../../support/daemon-services.ts"
import { command, inWorldFromAnywhere, tagOf } from "../../support/with-daemon-services.ts"

/** All of an account, with those that are offline. */
const known = (accountId: string) => ({ accountId, offline: true, limit: undefined, after: undefined })

/** A daemon that is connected. */
const connected = Effect.fnUntraced(function* (enrol: () => Enrolled) {
  const enrolled = enrol()
  return { ...enrolled, directory: yield* Directory, peer: yield* connect(enrolled.token) }
})

describe("a command to a daemon", () => {
  inWorldFromAnywhere("that is unknown, malformed or another account's is NotFound", function* ({ enrol }) {
    const { token, daemonId, accountId } = enrol()
    const stranger = newId("account")
    expect(yield* command(accountId, newId("daemon"))).toBe("NotFound")
    expect(yield* command(accountId, "x")).toBe("NotFound")
    expect(yield* command(stranger, daemonId)).toBe("NotFound")
    const peer = yield* connect(token)
    expect(yield* command(stranger, daemonId)).toBe("NotFound")
    peer.link.closed(1006)
    expect(yield* command(stranger, daemonId)).toBe("NotFound")
    expect(peer.of("command")).toEqual([])
  })

  inWorldFromAnywhere("that never connected or left is DaemonOffline", function* ({ enrol }) {
    const { token, daemonId, accountId } = enrol()
    expect(yield* command(accountId, daemonId)).toBe("DaemonOffline")
    const peer = yield* connect(token)
    peer.link.closed(1000)
    expect(yield* command(accountId, daemonId)).toBe("DaemonOffline")
  })

  inWorldFromAnywhere("in its grace is DaemonSocketLost at once, and DaemonOffline after it", function* ({ enrol }) {
    const { token, daemonId, accountId } = enrol()
    const peer = yield* connect(token)
    peer.link.closed(1006)
    expect(yield* command(accountId, daemonId)).toBe("DaemonSocketLost")
    yield* TestClock.adjust(15_050)
    expect(yield* command(accountId, daemonId)).toBe("DaemonOffline")
  })

  inWorldFromAnywhere(
    "while the store is away is StoreFailed when it is not connected, and nothing new when it is",
    function* (world) {
      const one = world.enrol()
      const two = world.enrol()
      const peer = yield* connect(one.token)
      world.store.failing = true
      expect(yield* command(two.accountId, two.daemonId)).toBe("StoreFailed")
      // nothing tells another account's from one that nobody has
      expect(yield* command(two.accountId, one.daemonId)).toBe("StoreFailed")
      const directory = yield* Directory
      expect(tagOf(yield* Effect.exit(directory.snapshot(two.accountId, one.daemonId)))).toBe("StoreFailed")
      const fiber = yield* Effect.forkChild(command(one.accountId, one.daemonId), { startImmediately: true })
      yield* settle
      peer.say("command_result", { id: peer.of("command")[0]?.["id"], success: true })
      yield* settle
      expect(fiber.pollUnsafe()).toMatchObject({ value: "Success" })
    }
  )
})

describe("an order of the owner", () => {
  inWorldFromAnywhere(
    "to disconnect closes with 4404, is announced at once, and lets the daemon come back",
    function* ({ enrol, told }) {
      const { token, accountId, daemonId, directory, peer } = yield* connected(enrol)
      expect(yield* directory.disconnect(accountId, daemonId)).toEqual({ wasConnected: true })
      expect(peer.closes).toEqual([4404])
      peer.link.closed(4404)
      yield* settle
      expect(told.log).toEqual(["connected box", "disconnected box: disconnected after 0"])
      expect(yield* directory.disconnect(accountId, daemonId)).toEqual({ wasConnected: false })
      yield* connect(token)
      yield* TestClock.adjust(60_000)
      expect(told.log.slice(2)).toEqual(["connected box"])
    }
  )

  inWorldFromAnywhere(
    "to revoke closes with 4403, and the token is refused from that moment",
    function* ({ enrol, told }) {
      const { token, accountId, daemonId, directory, peer } = yield* connected(enrol)
      expect(yield* directory.revoke(accountId, daemonId)).toEqual({ wasConnected: true })
      expect(peer.closes).toEqual([4403])
      expect((yield* connect(token)).closes).toEqual([4403])
      expect(told.log).toEqual(["connected box", "disconnected box: revoked after 0"])
      expect(yield* directory.revoke(accountId, daemonId)).toEqual({ wasConnected: false })
      expect((yield* directory.snapshot(accountId, daemonId)).revoked).toBe(true)
      expect((yield* directory.list(known(accountId))).snapshots).toEqual([])
    }
  )

  inWorldFromAnywhere("about another account's daemon is NotFound and moves nothing", function* ({ enrol, told }) {
    const { daemonId, directory, peer } = yield* connected(enrol)
    const stranger = newId("account")
    expect(tagOf(yield* Effect.exit(directory.disconnect(stranger, daemonId)))).toBe("NotFound")
    expect(tagOf(yield* Effect.exit(directory.revoke(stranger, daemonId)))).toBe("NotFound")
    expect(peer.closes).toEqual([])
    expect(told.log).toEqual(["connected box"])
  })

  inWorldFromAnywhere(
    "to revoke that the store could not keep leaves the daemon connected",
    function* ({ enrol, store }) {
      const { accountId, daemonId, directory, peer } = yield* connected(enrol)
      store.failing = true
      expect(tagOf(yield* Effect.exit(directory.revoke(accountId, daemonId)))).toBe("StoreFailed")
      expect(peer.closes).toEqual([])
    }
  )
})

describe("the list", () => {
  inWorldFromAnywhere(
    "is sorted by hostname, then id; the offline ones are known, the revoked ones are not",
    function* ({ enrol, store }) {
      const accountId = newId("account")
      const directory = yield* Directory
      for (const hostname of ["b", "a", "b"]) yield* connect(enrol(accountId).token, { hostname })
      yield* connect(enrol().token, { hostname: "another account's" })
      const off = enrol(accountId)
      const gone = enrol(accountId)
      store.tables.daemons.get(gone.daemonId)!.revoked = true
      const online = yield* directory.online(accountId)
      expect(online.map(({ hostname }) => hostname)).toEqual(["a", "b", "b"])
      expect(online[1]!.daemonId < online[2]!.daemonId).toBe(true)
      const { snapshots, next } = yield* directory.list(known(accountId))
      expect(next).toBeUndefined()
      expect(snapshots.map(({ hostname, online }) => `${hostname} ${online}`)).toEqual([
        "a true",
        "b true",
        "b true",
        "host false"
      ])
      expect(snapshots.at(-1)!.daemonId).toBe(off.daemonId)
    }
  )

  inWorldFromAnywhere("comes in pages that hold each daemon once, those online first", function* ({ enrol }) {
    const accountId = newId("account")
    const directory = yield* Directory
    const enrolled = Array.from({ length: 7 }, () => enrol(accountId))
    for (const { token } of enrolled.slice(0, 3)) yield* connect(token)
    yield* TestClock.adjust(clocksApartMillisMax)
    const online = enrolled.slice(0, 3).map(({ daemonId }) => daemonId)
    for (const limit of [1, 2, 3, 4, 7, 8]) {
      const found: Array<string> = []
      let after: ListCursor | undefined
      for (;;) {
        const { snapshots, next } = yield* directory.list({ accountId, offline: true, limit, after })
        expect(snapshots.length).toBeLessThanOrEqual(limit)
        found.push(...snapshots.map(({ daemonId }) => daemonId))
        if (next === undefined) break
        after = next
      }
      expect(found.slice(0, 3)).toEqual([...online].sort())
      expect(found.slice().sort()).toEqual(enrolled.map(({ daemonId }) => daemonId).sort())
    }
  })

  inWorldFromAnywhere("misses none that comes or goes between two pages", function* ({ enrol }) {
    const accountId = newId("account")
    const directory = yield* Directory
    const daemons = Array.from({ length: 4 }, () => enrol(accountId)).sort((a, b) => (a.daemonId < b.daemonId ? -1 : 1))
    const [first, comes, goes, last] = daemons as [Enrolled, Enrolled, Enrolled, Enrolled]
    const peer = yield* connect(goes.token)
    yield* TestClock.adjust(clocksApartMillisMax)
    const page = (after: ListCursor | undefined) => directory.list({ accountId, offline: true, limit: 2, after })
    const one = yield* page(undefined)
    expect(one.snapshots.map(({ daemonId }) => daemonId)).toEqual([goes.daemonId, first.daemonId])
    yield* TestClock.adjust(1_000)
    yield* connect(comes.token)
    peer.link.closed(1000)
    yield* TestClock.adjust(1_000)
    const two = yield* page(one.next)
    expect(two.snapshots.map(({ daemonId, online }) => [daemonId, online])).toEqual([
      [comes.daemonId, true],
      [goes.daemonId, false]
    ])
    const three = yield* page(two.next)
    expect([three.snapshots.map(({ daemonId }) => daemonId), three.next]).toEqual([[last.daemonId], undefined])
  })
})

describe("the removal of a daemon", () => {
  inWorldFromAnywhere(
    "is refused while it is connected and in its grace, and leaves it as it is",
    function* ({ enrol, told }) {
      const { accountId, daemonId, directory, peer } = yield* connected(enrol)
      expect(tagOf(yield* Effect.exit(directory.remove(accountId, daemonId)))).toBe("DaemonOnline")
      expect(peer.closes).toEqual([])
      peer.link.closed(1006)
      expect(tagOf(yield* Effect.exit(directory.remove(accountId, daemonId)))).toBe("DaemonOnline")
      expect((yield* directory.snapshot(accountId, daemonId)).online).toBe(true)
      expect(told.log).toEqual(["connected box"])
    }
  )

  inWorldFromAnywhere("leaves neither its id nor its token, and is NotFound the second time", function* ({ enrol }) {
    const { token, accountId, daemonId, directory, peer } = yield* connected(enrol)
    peer.link.closed(1000)
    yield* settle
    expect(tagOf(yield* Effect.exit(directory.remove(newId("account"), daemonId)))).toBe("NotFound")
    yield* directory.remove(accountId, daemonId)
    expect(tagOf(yield* Effect.exit(directory.snapshot(accountId, daemonId)))).toBe("NotFound")
    expect(yield* command(accountId, daemonId)).toBe("NotFound")
    expect(tagOf(yield* Effect.exit(directory.remove(accountId, daemonId)))).toBe("NotFound")
    expect((yield* connect(token)).closes).toEqual([4401])
    expect((yield* directory.list(known(accountId))).snapshots).toEqual([])
  })

  inWorldFromAnywhere("sends away whoever comes in meanwhile, and nothing of it is left", function* ({ enrol, store }) {
    const { token, accountId, daemonId } = enrol()
    const directory = yield* Directory
    const hold = yield* Deferred.make<void>()
    store.hold = Deferred.await(hold)
    const peer = yield* connect(token)
    yield* directory.remove(accountId, daemonId)
    store.hold = undefined
    yield* Deferred.succeed(hold, undefined)
    yield* settle
    expect(peer.closes).toEqual([4401])
    yield* TestClock.adjust(60_000)
    expect(store.tables.daemons.has(daemonId)).toBe(false)
    expect((yield* directory.list(known(accountId))).snapshots).toEqual([])
  })

  inWorldFromAnywhere("of an account closes all its daemons, on whichever node, and no other's", function* ({ enrol }) {
    const accountId = newId("account")
    const peers = [yield* connect(enrol(accountId).token), yield* connect(enrol(accountId).token)]
    const stranger = yield* connect(enrol().token)
    const bus = yield* Bus
    bus.publish("account_removed", { accountId })
    yield* settle
    expect(peers.map(({ closes }) => closes)).toEqual([[4403], [4403]])
    expect(stranger.closes).toEqual([])
  })
})
