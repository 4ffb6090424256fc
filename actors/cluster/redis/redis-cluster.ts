/**
 * The cluster over Redis. Owns the look-up of the node that holds a daemon. holding.ts owns the daemons of this node;
 * rpc.ts owns the requests to other nodes.
 */
import { Effect, Exit, type Scope } from "effect"
import { LRUCache } from "lru-cache"
import type { RedisTransport } from "../../../src/bus/redis-transport.ts"
import type { Command, CommandAnswer, CommandFailure } from "../../../src/domain/command/command.ts"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import { DaemonSocketLost, StoreFailed } from "../../../src/errors.ts"
import { nodePlacesMax, nodeStepDaemons, nodesDrainingMax } from "../../../src/limits/nodes.ts"
import type { Timers } from "../../../src/runtime/timers.ts"
import type { Daemons } from "../../../src/store/daemons/daemons.ts"
import type { Nodes } from "../../../src/store/daemons/nodes.ts"
import { type Moving, moving } from "../../commands/handoff.ts"
import type { Cluster, LocalDirectory } from "../cluster.ts"
import { Holding } from "./holding.ts"
import { makeRecords, type Recorded } from "./records.ts"
import { makeRecovery } from "./recovery.ts"
import { rounds } from "./rounds.ts"
import { type Answer, makeAsking } from "./rpc.ts"
import { makeStandings } from "./standing.ts"

const orderMillis = 5_000
/** A daemon that moves while it is asked is followed so often. */
const followMax = 3

/** The others over this wire. */
export const makeRedisCluster = (
  wire: RedisTransport["Service"],
  timers: Timers["Service"],
  daemons: Daemons["Service"],
  nodes: Nodes["Service"]
): Effect.Effect<Cluster["Service"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const records = makeRecords(wire)
    const recovery = yield* makeRecovery(wire, records, daemons, nodes)
    const holding = new Holding(wire, timers, records, recovery)
    let directory: LocalDirectory | undefined
    const scope = yield* Effect.scope
    const context = yield* Effect.context<never>()
    const run = Effect.runForkWith(context)
    const asking = yield* makeAsking(wire, timers, () => directory)
    holding.silent = asking.silent
    const places = new LRUCache<string, string>({ max: nodePlacesMax })
    /** Nodes whose daemons are on the move: no place there is believed without a look. */
    const draining = new LRUCache<string, true>({ max: nodesDrainingMax })

    yield* wire.hear("moved", ({ message }) => {
      const { daemonId, epoch } = message as { readonly daemonId: string; readonly epoch: number }
      holding.roster?.moved(daemonId, epoch)
    })
    yield* wire.hear("drains", ({ from }) => void draining.set(from, true))
    const standings = makeStandings((ids) => Effect.runPromiseWith(context)(daemons.standings(ids)))
    yield* wire.gaps((stands) => {
      places.clear()
      holding.gap(stands)
      standings.doubt()
    })
    yield* Effect.addFinalizer(() =>
      Effect.zip(Effect.ignore(Effect.tryPromise(() => records.leave())), Effect.ignore(nodes.forget(wire.node)), {
        concurrent: true
      })
    )

    /** What the records say; nothing while they cannot be read. */
    const read = <A>(ask: () => Promise<A>, otherwise: A): Effect.Effect<A> =>
      wire.away() ? Effect.succeed(otherwise) : Effect.catch(Effect.tryPromise(ask), () => Effect.succeed(otherwise))

    /** A record of which only the place is known may be remembered. */
    const placeOf = (
      accountId: string,
      daemonId: string,
      anew: boolean
    ): Effect.Effect<Pick<Recorded, "node" | "snapshot"> | undefined> => {
      const key = `${accountId} ${daemonId}`
      const known = anew ? undefined : places.get(key)
      if (known !== undefined && !draining.has(known)) return Effect.succeed({ node: known, snapshot: undefined })
      return Effect.map(
        read(() => records.find(accountId, daemonId), undefined),
        (record) => {
          if (record === undefined) places.delete(key)
          else places.set(key, record.node)
          return record
        }
      )
    }

    /** What a question came to; undefined: nothing was done there, and its place is forgotten. */
    const conclude = (
      { accountId, daemonId }: Command,
      answer: Answer | undefined
    ): Effect.Effect<CommandAnswer | Moving, CommandFailure> | undefined => {
      if (answer?.is === "answered") return Exit.succeed(answer.answer)
      if (answer?.is === "failed") return Exit.fail(asking.failureOf(answer.tag, answer.facts))
      places.delete(`${accountId} ${daemonId}`)
      // no answer: it may have reached the daemon, and is not put again
      if (answer === undefined) return Exit.fail(new DaemonSocketLost({}))
      return answer.is === "moving" ? Exit.succeed(moving) : undefined
    }

    const put = (node: string, asked: Command, millis: number): Effect.Effect<Answer | undefined> =>
      asking.put(node, { ask: "command", command: { ...asked, deadlineMs: millis } }, millis)

    /** At the remembered place; without one, or when the daemon is not there, it is looked for. */
    const command: Cluster["Service"]["command"] = (asked, millis) =>
      Effect.suspend(() => {
        const node = places.get(`${asked.accountId} ${asked.daemonId}`)
        const known = node !== undefined && node !== wire.node && !draining.has(node)
        if (!known || asking.busy() !== undefined) return search(asked, millis, 0)
        return Effect.flatMap(
          put(node, asked, millis),
          (answer): Effect.Effect<CommandAnswer | Moving | undefined, CommandFailure> =>
            conclude(asked, answer) ?? search(asked, millis, 1, answer?.is === "unheard" ? node : undefined)
        )
      })

    const search = Effect.fnUntraced(function* (
      asked: Command,
      millis: number,
      rounds: number,
      unheardAt?: string
    ): Effect.fn.Return<CommandAnswer | Moving | undefined, CommandFailure> {
      const { accountId, daemonId } = asked
      let unheard = unheardAt
      for (let round = rounds; round < followMax; round++) {
        const place = yield* placeOf(accountId, daemonId, round > 0)
        if (place === undefined) return undefined
        const { node } = place
        if (place.snapshot?.moving === true) return moving
        // nobody there, and nobody sent it away
        if (node === unheard) return yield* new DaemonSocketLost({})
        if (node === wire.node) {
          const here = directory?.command({ ...asked, deadlineMs: millis })
          if (here === moving) return moving
          if (here !== undefined) return yield* here
          continue
        }
        const busy = asking.busy()
        if (busy !== undefined) return yield* busy
        const answer = yield* put(node, asked, millis)
        const concluded = conclude(asked, answer)
        if (concluded !== undefined) return yield* concluded
        if (answer?.is === "unheard") unheard = node
      }
      // taken for a connection there that is not welcomed yet
      return moving
    })

    const order: Cluster["Service"]["order"] = Effect.fnUntraced(function* (accountId, daemonId, reason) {
      const node = (yield* placeOf(accountId, daemonId, true))?.node
      if (node === undefined || node === wire.node) return false
      const busy = asking.busy()
      if (busy !== undefined) return yield* busy
      const answer = yield* asking.put(node, { ask: "order", daemonId, reason }, orderMillis)
      return answer?.is === "ordered" && answer.wasConnected
    })

    const say = async (snapshots: ReadonlyArray<Snapshot>): Promise<void> => {
      try {
        await records.publishSnapshots(snapshots)
      } catch {
        // what is not written now is said again when the line is back
      }
    }

    const recovered = Effect.tryPromise({
      try: holding.recovered,
      catch: (cause) => (cause instanceof StoreFailed ? cause : new StoreFailed({ operation: "recover", cause }))
    })

    return {
      isSingleNode: false,
      claim: (accountId, daemonId, epoch) => Effect.promise(() => holding.take(accountId, daemonId, epoch)),
      resolveClaim: (snapshot, told) => holding.settle(snapshot, told),
      release: (snapshot, told) => holding.release(snapshot, told),
      publishSnapshots: (snapshots) => {
        for (let at = 0; at < snapshots.length; at += nodeStepDaemons) {
          void say(snapshots.slice(at, at + nodeStepDaemons))
        }
      },
      recovered,
      attachRoster: (roster) => {
        holding.roster = roster
        run(Effect.forkIn(rounds(wire, holding, standings, roster, nodes), scope))
      },
      attachDirectory: (given) => {
        directory = given
      },
      find: (accountId, daemonId) =>
        Effect.map(
          read(() => records.find(accountId, daemonId), undefined),
          (record) => (record === undefined || record.node === wire.node ? undefined : record.snapshot)
        ),
      isOfflineEverywhere: (accountId, daemonId) => read(() => records.lacks(accountId, daemonId), false),
      of: (accountId) =>
        Effect.map(
          read(() => records.of(accountId), []),
          (all) => all.flatMap(({ node, snapshot }) => (node === wire.node || snapshot === undefined ? [] : [snapshot]))
        ),
      command,
      order,
      isPartitioned: wire.away,
      isLastNode: Effect.map(
        read(() => holding.renew(), undefined),
        (renewed) => renewed?.alive.every((node) => draining.has(node)) === true
      ),
      announceDrain: () => wire.tellAll("drains", "{}")
    }
  })
