/** Claims and releases on their way to the store: their order, what a write tells, and what stays when it fails. */
import { Deferred, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { DaemonEvents } from "../../../actors/events/daemon-events.ts"
import { type PresenceClaim, PresenceWriter } from "../../../actors/presence/presence-writer.ts"
import { RedisTransport } from "../../../src/bus/redis-transport.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import { StoreFailed } from "../../../src/errors.ts"
import { releaseAgainMillis, releasesWaitingMax } from "../../../src/limits/nodes.ts"
import { counted } from "../../../src/runtime/metrics.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { Nodes } from "../../../src/store/daemons/nodes.ts"
import {
  type Claimed,
  type ClaimRequest,
  PresenceStore,
  type ReleaseRequest
} from "../../../src/store/daemons/presence.ts"
import { settle } from "../../support/daemon-services.ts"
import { type Body, effectOf, it } from "../../support/effect-test.ts"
import { snapshot } from "../../support/snapshots.ts"

const away = new StoreFailed({ operation: "fake", cause: "away" })

/** A writer over a store that is told what to answer; `log` has what the writer did, in order. */
const makeWorld = () => {
  const log: Array<string> = []
  const state = {
    isAway: false,
    areEventsAway: false,
    began: true,
    from: undefined as string | undefined,
    areRowsOurs: true,
    hold: undefined as Effect.Effect<unknown> | undefined
  }
  const write = <A>(what: string, ids: ReadonlyArray<string>, value: () => A) =>
    Effect.gen(function* () {
      log.push(`${what} ${ids.join(" ")}`)
      if (state.hold !== undefined) yield* state.hold
      if (state.isAway) return yield* away
      return value()
    })
  const claimed = ({ daemonId, epoch = 2 }: ClaimRequest): readonly [string, Claimed] => [
    daemonId,
    { daemonId, epoch, since: 0, began: state.began, from: state.from, stored: undefined, told: undefined }
  ]
  const store = {
    claim: (_: string, requests: ReadonlyArray<ClaimRequest>) =>
      write(
        "claim",
        requests.map(({ daemonId }) => daemonId),
        () => ({ claimed: new Map(requests.map(claimed)), deliveryIds: new Set(["x"]), early: new Map() })
      ),
    release: (_: string, requests: ReadonlyArray<ReleaseRequest>) =>
      write(
        "release",
        requests.map(({ daemonId, epoch }) => `${daemonId}${epoch}`),
        () => ({
          ended: new Set(state.areRowsOurs ? requests.map(({ daemonId }) => daemonId) : []),
          deliveryIds: new Set(["x"])
        })
      )
  }
  const nodes = { beat: () => Effect.succeed(false), leave: () => Effect.sync(() => void log.push("leave")) }
  const prepared = (what: string) =>
    Effect.suspend(() =>
      state.areEventsAway
        ? Effect.fail(away)
        : Effect.succeed({
            deliveries: [],
            committed: (ids: ReadonlySet<string> | undefined) =>
              void log.push(`${what} ${ids === undefined ? "not told" : "told"}`)
          })
    )
  const events = { disconnecting: ({ daemonId }: { daemonId: string }) => prepared(`end of ${daemonId}`) }
  const transport = {
    node: "me",
    away: () => false,
    tellNode: (node: string, kind: string, json: string) => void log.push(`${kind} to ${node}: ${json}`)
  }
  const layer = PresenceWriter.layer.pipe(
    Layer.provideMerge(Timers.layer),
    Layer.provide([
      Layer.succeed(PresenceStore, store as never),
      Layer.succeed(Nodes, nodes as never),
      Layer.succeed(DaemonEvents, events as never),
      Layer.succeed(RedisTransport, transport as never),
      Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32) })
    ])
  )
  const claim = (daemonId: string): PresenceClaim => ({
    daemonId,
    epoch: undefined,
    tokenHash: undefined,
    begins: true,
    event: () => prepared(`connect of ${daemonId}`),
    committed: () => void log.push(`committed ${daemonId}`)
  })
  const end = (daemonId: string, at = 0, epoch = 1) => ({
    snapshot: snapshot([], { daemonId, epoch }),
    ended: { reason: "closed" as const, connectedMs: 1, at },
    code: 1000
  })
  return { log, state, layer, claim, end }
}

type World = ReturnType<typeof makeWorld>

const inWorld = (name: string, body: Body<[world: World, writer: PresenceWriter["Service"]], Timers>): void => {
  it.effect(name, () => {
    const world = makeWorld()
    return Effect.provide(
      Effect.flatMap(PresenceWriter, (writer) => effectOf(body)(world, writer)),
      world.layer
    )
  })
}

/** Does something while a write of this node runs, so that what is asked meanwhile waits for the next. */
const duringWrite = (writer: PresenceWriter["Service"], work: () => void) =>
  Effect.andThen(writer.exclusive(Effect.andThen(Effect.sync(work), settle)), Effect.andThen(settle, settle))

describe("a claim", () => {
  inWorld(
    "goes on from an older connection, whose later end is not written any more",
    function* ({ log, claim, end }, writer) {
      yield* duringWrite(writer, () => {
        Effect.runFork(writer.claim(claim("a")))
        writer.release(end("a"))
        expect(writer.isReleasing("a")).toBe(true)
      })
      expect(writer.isReleasing("a")).toBe(false)
      expect(log.filter((one) => one.startsWith("release"))).toEqual([])
    }
  )

  inWorld("tells the roster first, then the event, then the node before", function* ({ log, state, claim }, writer) {
    const before = counted("hub_presence_changes_total", "online")
    state.from = "other"
    yield* writer.claim(claim("a"))
    expect(log).toEqual(["claim a", "committed a", "connect of a told", 'moved to other: {"daemonId":"a","epoch":2}'])
    expect(counted("hub_presence_changes_total", "online")).toBe(before + 1)
  })

  inWorld("waits while another write of this node runs", function* ({ log, claim }, writer) {
    yield* writer.exclusive(
      Effect.gen(function* () {
        Effect.runFork(writer.claim(claim("a")))
        yield* settle
        expect(log).toEqual([])
      })
    )
    yield* settle
    expect(log[0]).toBe("claim a")
  })
})

describe("the end of a time online", () => {
  inWorld(
    "is told once it is written, and not where the daemon is elsewhere by then",
    function* ({ log, state, end }, writer) {
      const before = counted("hub_presence_changes_total", "offline")
      writer.release(end("a"))
      yield* settle
      state.areRowsOurs = false
      writer.release(end("b"))
      yield* settle
      expect(log).toEqual(["release a1", "end of a told", "release b1", "end of b not told"])
      expect(counted("hub_presence_changes_total", "offline")).toBe(before + 1)
    }
  )

  inWorld("is written again after pauses that double while the store is away", function* ({ log, state, end }, writer) {
    state.isAway = true
    writer.release(end("a"))
    yield* settle
    expect(log).toEqual(["release a1", "end of a not told"])
    yield* TestClock.adjust(releaseAgainMillis * 15 - 1)
    expect(log.filter((one) => one === "release a1")).toHaveLength(4)
    state.isAway = false
    yield* TestClock.adjust(1)
    expect(log.at(-1)).toBe("end of a told")
    expect(writer.isReleasing("a")).toBe(false)
  })

  inWorld(
    "whose event cannot be prepared waits, and the others with it are written",
    function* ({ log, state, end }, writer) {
      state.areEventsAway = true
      writer.release(end("a"))
      yield* settle
      expect([log, writer.isReleasing("a")]).toEqual([["release "], true])
      state.areEventsAway = false
      yield* TestClock.adjust(releaseAgainMillis)
      expect(log).toEqual(["release ", "release a1", "end of a told"])
    }
  )

  inWorld(
    "of a newer connection is kept while that of an older one is written",
    function* ({ log, state, end }, writer) {
      const written = Deferred.makeUnsafe<void>()
      state.hold = Deferred.await(written)
      writer.release(end("a", 0, 1))
      yield* settle
      writer.release(end("a", 5, 2))
      state.hold = undefined
      yield* Deferred.succeed(written, undefined)
      yield* settle
      expect(log.filter((one) => one.startsWith("release"))).toEqual(["release a1", "release a2"])
    }
  )

  inWorld(`beyond ${releasesWaitingMax} that wait is looked for in the store`, function* ({ state, end }, writer) {
    const answered = Deferred.makeUnsafe<void>()
    state.hold = Deferred.await(answered)
    for (let at = 0; at < releasesWaitingMax; at++) writer.release(end(String(at)))
    const full = writer.takeDoubt()
    writer.release(end("0", 0, 2))
    const newer = writer.takeDoubt()
    writer.release(end("one more"))
    const beyond = [writer.takeDoubt(), writer.isReleasing("one more")]
    state.isAway = true
    yield* Deferred.succeed(answered, undefined)
    expect([full, newer, ...beyond]).toEqual([false, false, true, false])
  })
})

it.effect("a node that stops writes the ends that wait, then ends its lease", function* () {
  const { log, state, layer, end } = makeWorld()
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(layer, scope)
  yield* Effect.provide(
    Effect.gen(function* () {
      const writer = yield* PresenceWriter
      state.isAway = true
      writer.release(end("a"))
      yield* settle
      state.isAway = false
    }),
    context
  )
  log.length = 0
  yield* Scope.close(scope, Exit.void)
  expect(log).toEqual(["release a1", "end of a told", "leave"])
})
