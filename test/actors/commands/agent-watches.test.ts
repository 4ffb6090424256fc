/** Waiting until an agent is another: here, through another node, and while its daemon moves. */
import { Context, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import { Roster } from "../../../actors/presence/roster.ts"
import { type AgentWatch, watchedVersion } from "../../../src/domain/daemon/agent-watch.ts"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import { watchLookMillis, watchMillisMax } from "../../../src/limits/agent-waits.ts"
import { nodeAskMarginMillis, nodeLeaseMillis } from "../../../src/limits/nodes.ts"
import { connect, type Enrolled, type FakePeer, settle } from "../../support/daemon-services.ts"
import { type Body, effectOf } from "../../support/effect-test.ts"
import { session } from "../../support/snapshots.ts"
import { startVirtualHub, type VirtualDaemon, type VirtualHub } from "../../support/virtual-hub.ts"
import { inWorldFromAnywhere, tagOf } from "../../support/with-daemon-services.ts"

const report = (peer: FakePeer, status: string): void =>
  peer.say("status_report", { timestamp: 1, sessions: [session("s1", { status })] })

const wide = Effect.andThen(settle, Effect.andThen(settle, settle))

/** What is to be watched: the only session of a daemon, as it is now. */
const watchOf = (directory: Directory["Service"], { accountId, daemonId }: Enrolled) =>
  Effect.gen(function* () {
    const target = `${daemonId}:session:s1`
    const snapshot = yield* directory.snapshot(accountId, daemonId)
    return { accountId, daemonId, target, version: watchedVersion(snapshot, { target }) } satisfies AgentWatch
  })

/** A daemon whose agent is idle, and a caller who waits for a change. */
const watching = (mine: Enrolled) =>
  Effect.gen(function* () {
    const [directory, roster] = [yield* Directory, yield* Roster]
    const peer = yield* connect(mine.token)
    report(peer, "idle")
    yield* wide
    const watch = yield* watchOf(directory, mine)
    const fiber = yield* Effect.forkChild(directory.watch(watch, 30_000), { startImmediately: true })
    yield* wide
    return { directory, roster, peer, watch, fiber }
  })

const statusOf = ({ sessions }: Snapshot): string | undefined => sessions[0]?.status

describe("a wait for an agent", () => {
  inWorldFromAnywhere("ends when it is another, and leaves no listener", function* ({ enrol }) {
    const mine = enrol()
    const { directory, roster, peer, watch, fiber } = yield* watching(mine)
    report(peer, "idle")
    yield* wide
    expect(fiber.pollUnsafe()).toBeUndefined()
    expect(roster.watchers.of(mine.daemonId)).toBe(1)
    report(peer, "generating")
    yield* wide
    const { snapshot, ended } = yield* Fiber.join(fiber)
    expect([statusOf(snapshot), ended]).toEqual(["generating", false])
    expect(roster.watchers.of(mine.daemonId)).toBe(0)
    expect(statusOf((yield* directory.watch(watch, 30_000)).snapshot)).toBe("generating")
  })

  inWorldFromAnywhere("ends with what is there when its time is over", function* ({ enrol }) {
    const { fiber } = yield* watching(enrol())
    for (let passed = 0; passed < 29_000; passed += 1_000) {
      yield* TestClock.adjust(1_000)
      yield* wide
    }
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust(1_100)
    yield* wide
    expect(statusOf((yield* Fiber.join(fiber)).snapshot)).toBe("idle")
  })

  inWorldFromAnywhere("that is interrupted leaves no listener", function* ({ enrol }) {
    const mine = enrol()
    const { roster, fiber } = yield* watching(mine)
    expect(roster.watchers.of(mine.daemonId)).toBe(1)
    yield* Fiber.interrupt(fiber)
    yield* wide
    expect(roster.watchers.of(mine.daemonId)).toBe(0)
  })

  inWorldFromAnywhere("of a daemon that is offline ends when it is back", function* ({ enrol }) {
    const mine = enrol()
    const directory = yield* Directory
    const watch = yield* watchOf(directory, mine)
    const fiber = yield* Effect.forkChild(directory.watch(watch, 30_000), { startImmediately: true })
    yield* wide
    report(yield* connect(mine.token), "idle")
    yield* wide
    for (let passed = 0; passed <= watchLookMillis; passed += watchLookMillis) {
      yield* TestClock.adjust(watchLookMillis)
      yield* wide
    }
    expect(statusOf((yield* Fiber.join(fiber)).snapshot)).toBe("idle")
  })

  inWorldFromAnywhere("of another account's daemon is NotFound, as of one that is unknown", function* ({ enrol }) {
    const [mine, other] = [enrol(), enrol()]
    const directory = yield* Directory
    report(yield* connect(mine.token), "idle")
    yield* wide
    const watch = { ...(yield* watchOf(directory, mine)), accountId: other.accountId }
    expect(tagOf(yield* Effect.exit(directory.watch(watch, 30_000)))).toBe("NotFound")
  })

  inWorldFromAnywhere("ends at once when its node drains, and so does each one after", function* ({ enrol }) {
    const { directory, watch, fiber } = yield* watching(enrol())
    yield* directory.endWatches
    yield* wide
    expect((yield* Fiber.join(fiber)).ended).toBe(true)
    expect((yield* directory.watch(watch, 30_000)).ended).toBe(true)
  })
})

/** Three nodes. The daemon is on the first and its agent idle; a caller of the third waits for a change. */
const whileWaiting = (work: Body<[hub: VirtualHub, daemon: VirtualDaemon]>) =>
  Effect.gen(function* () {
    const hub = yield* startVirtualHub(3, 1)
    const daemon = hub.daemons[0]!
    yield* hub.dial(daemon, 0)
    report(daemon.sockets.at(-1)!.peer, "idle")
    yield* hub.pass(250)
    const directory = Context.get(hub.nodes[2]!.services, Directory)
    const watch = yield* watchOf(directory, daemon)
    const fiber = yield* Effect.forkChild(directory.watch(watch, 50_000), { startImmediately: true })
    yield* hub.pass(250)
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* effectOf(work)(hub, daemon)
    expect(statusOf((yield* Fiber.join(fiber)).snapshot)).toBe("generating")
    yield* hub.end()
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)

const atWork = (daemon: VirtualDaemon): void => report(daemon.sockets.at(-1)!.peer, "generating")

describe("a wait through another node", () => {
  it("hears of a change within a quarter of a second", () =>
    whileWaiting((hub, daemon) =>
      Effect.andThen(
        Effect.sync(() => atWork(daemon)),
        hub.pass(250)
      )
    ))

  it("follows the daemon to a third node", () =>
    whileWaiting(function* (hub, daemon) {
      yield* hub.dial(daemon, 1)
      yield* hub.pass(250)
      atWork(daemon)
      yield* hub.pass(2 * watchLookMillis)
    }))

  it("follows the daemon to the caller's own node", () =>
    whileWaiting(function* (hub, daemon) {
      yield* hub.dial(daemon, 2)
      yield* hub.pass(250)
      atWork(daemon)
      yield* hub.pass(2 * watchLookMillis)
    }))

  it("goes on after an answer that was lost", () =>
    whileWaiting(function* (hub, daemon) {
      hub.nodes[2]!.line.lose()
      atWork(daemon)
      yield* hub.pass(watchMillisMax + nodeAskMarginMillis + 2 * watchLookMillis)
    }))

  it("goes on when the daemon's node is killed and the daemon comes to another", () =>
    whileWaiting(function* (hub, daemon) {
      yield* hub.stop(0, "killed")
      yield* hub.dial(daemon, 1)
      yield* hub.pass(250)
      atWork(daemon)
      yield* hub.pass(watchMillisMax + nodeLeaseMillis)
    }))
})
