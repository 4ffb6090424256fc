/**
 * Commands, orders, snapshots and logs of daemons that are not in the roster of this node, through the node that holds
 * them. Owns the retries for a daemon that moves meanwhile; daemon-locations.ts knows where it is, redis/rpc.ts sends
 * the requests.
 */
import { Effect, Result } from "effect"
import type { Command, CommandAnswer, CommandFailure } from "../../src/domain/command/command.ts"
import { type Moving, moving } from "../../src/domain/command/command.ts"
import type { AgentWatch } from "../../src/domain/daemon/agent-watch.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { LogAsked, LogListener } from "../../src/domain/log/log-listener.ts"
import { DaemonOffline, DaemonSocketLost, NotFound, type Overloaded, type StoreFailed } from "../../src/errors.ts"
import { freeTextChars } from "../../src/limits/cost.ts"
import { nodeFollowMax, nodeOrderMillis, nodeSnapshotMillis, nodesAskedMax } from "../../src/limits/nodes.ts"
import type { Daemons } from "../../src/store/daemons/daemons.ts"
import type { DaemonLocation } from "../../src/store/daemons/presence.ts"
import type { PresenceWriter } from "../presence/presence-writer.ts"
import type { Cluster } from "./cluster.ts"
import type { DaemonLocations } from "./daemon-locations.ts"
import type { Rpc } from "./redis/rpc.ts"
import { type Answer, failureOf, type Written } from "./redis/rpc-messages.ts"
import type { LocalDaemons } from "./redis/rpc-server.ts"

/** What they are reached with. */
export interface RemoteContext {
  readonly local: LocalDaemons
  readonly locations: DaemonLocations
  readonly writer: Pick<PresenceWriter["Service"], "node" | "isReleasing">
  readonly daemons: Pick<Daemons["Service"], "snapshot" | "snapshotsById">
  /** Undefined: there are no other nodes. */
  readonly rpc: Rpc | undefined
  readonly isPartitioned: () => boolean
  /** The other nodes that can be asked, as far as it is known. */
  readonly others: () => ReadonlyArray<string>
}

type Daemon = Pick<Command, "accountId" | "daemonId">

/** The remembered node, at first, or else the one that the store has. Null: the daemon is offline. */
const placeOf = (
  { locations }: RemoteContext,
  { accountId, daemonId }: Daemon,
  round: number
): Effect.Effect<Pick<DaemonLocation, "node"> | undefined, Overloaded | StoreFailed> =>
  Effect.suspend((): Effect.Effect<Pick<DaemonLocation, "node"> | undefined, Overloaded | StoreFailed> => {
    const node = round === 0 ? locations.remembered(accountId, daemonId) : undefined
    return node === undefined ? locations.read(accountId, daemonId) : Effect.succeed({ node })
  })

/** The result of a request; undefined: nothing was done there, and its place is forgotten. */
const conclude = (
  { locations }: RemoteContext,
  { daemonId }: Daemon,
  answer: Answer | undefined
): Effect.Effect<CommandAnswer | Moving, CommandFailure> | undefined => {
  if (answer?.is === "answered") return Effect.succeed(answer.answer)
  if (answer?.is === "failed") return Effect.fail(failureOf(answer.tag, answer.facts))
  locations.forget(daemonId)
  // no answer: it may have reached the daemon, and is not put again
  if (answer === undefined) return Effect.fail(new DaemonSocketLost({}))
  return answer.is === "moving" ? Effect.succeed(moving) : undefined
}

/** A command with its payload as text; undefined: it is short, or is written already. */
const written = (command: Command): Written | undefined => {
  if (command.payloadText !== undefined) return undefined
  const payloadText = JSON.stringify(command.payload) as string | undefined
  if (payloadText === undefined || payloadText.length <= freeTextChars) return undefined
  return { ...command, payload: undefined, payloadText }
}

const putCommand = (rpc: Rpc, node: string, asked: Command, millis: number): Effect.Effect<Answer | undefined> => {
  const command = { ...asked, deadlineMs: millis }
  const plain = rpc.put(node, { ask: "command", command }, millis)
  const text = written(command)
  if (text === undefined) return plain
  // a node of an earlier version does not know it, and has done nothing
  return Effect.flatMap(rpc.put(node, { ask: "written command", command: text }, millis), (answer) =>
    answer?.is === "unheard" ? plain : Effect.succeed(answer)
  )
}

/** Its node is gone. Where that node sent it away before, it is about to come to another. */
const unheard = (
  { daemons }: RemoteContext,
  { accountId, daemonId }: Daemon
): Effect.Effect<Moving, DaemonSocketLost | StoreFailed> =>
  Effect.flatMap(daemons.snapshot(accountId, daemonId), (stored) =>
    stored?.moving === true ? Effect.succeed(moving) : Effect.fail(new DaemonSocketLost({}))
  )

/** The store does not say where the daemon is: the nodes do, one after the other, until one holds it. */
const askAround = (
  context: RemoteContext,
  asked: Command,
  millis: number,
  failure: StoreFailed
): Effect.Effect<CommandAnswer | Moving, CommandFailure> =>
  Effect.gen(function* () {
    const { rpc, others, isPartitioned } = context
    if (rpc === undefined || isPartitioned()) return yield* failure
    for (const node of others()) {
      const busy = rpc.busy()
      if (busy !== undefined) return yield* busy
      const concluded = conclude(context, asked, yield* putCommand(rpc, node, asked, millis))
      if (concluded !== undefined) return yield* concluded
    }
    return yield* failure
  })

const searchFrom = Effect.fnUntraced(function* (
  context: RemoteContext,
  asked: Command,
  millis: number,
  first: number,
  unheardAt?: string
): Effect.fn.Return<CommandAnswer | Moving, CommandFailure> {
  const { local, writer, rpc, isPartitioned } = context
  let silent = unheardAt
  for (let round = first; round < nodeFollowMax; round++) {
    const read = yield* Effect.result(placeOf(context, asked, round))
    if (Result.isFailure(read)) {
      const { failure } = read
      return yield* failure._tag === "StoreFailed" ? askAround(context, asked, millis, failure) : failure
    }
    const place = read.success
    if (place === undefined) return yield* new NotFound()
    const { node } = place
    if (node === null) return yield* new DaemonOffline()
    if (node === writer.node) {
      const here = local.command({ ...asked, deadlineMs: millis })
      if (here === moving) return moving
      if (here !== undefined) return yield* here
      if (writer.isReleasing(asked.daemonId)) return yield* new DaemonOffline()
      continue
    }
    if (node === silent) return yield* unheard(context, asked)
    if (rpc === undefined || isPartitioned()) return yield* new DaemonSocketLost({})
    const busy = rpc.busy()
    if (busy !== undefined) return yield* busy
    const answer = yield* putCommand(rpc, node, asked, millis)
    const concluded = conclude(context, asked, answer)
    if (concluded !== undefined) return yield* concluded
    if (answer?.is === "unheard") silent = node
  }
  // claimed there for a connection that is not accepted yet
  return moving
})

/** At the remembered place; without one, or when the daemon is not there, it is looked for. */
const command = (
  context: RemoteContext,
  asked: Command,
  millis: number
): Effect.Effect<CommandAnswer | Moving, CommandFailure> => {
  const { locations, writer, rpc, isPartitioned } = context
  const node = locations.remembered(asked.accountId, asked.daemonId)
  const isRemote = node !== undefined && node !== writer.node
  if (rpc === undefined || !isRemote || isPartitioned() || rpc.busy() !== undefined) {
    return searchFrom(context, asked, millis, 0)
  }
  return Effect.flatMap(
    putCommand(rpc, node, asked, millis),
    (answer) =>
      conclude(context, asked, answer) ??
      searchFrom(context, asked, millis, 1, answer?.is === "unheard" ? node : undefined)
  )
}

const order = Effect.fnUntraced(function* (
  { locations, writer, rpc }: RemoteContext,
  accountId: string,
  daemonId: string,
  reason: "disconnected" | "revoked"
) {
  const node = (yield* locations.read(accountId, daemonId))?.node ?? null
  if (node === null || node === writer.node || rpc === undefined) return false
  const busy = rpc.busy()
  if (busy !== undefined) return yield* busy
  const answer = yield* rpc.put(node, { ask: "order", daemonId, reason }, nodeOrderMillis)
  return answer?.is === "ordered" && answer.wasConnected
})

const find = Effect.fnUntraced(function* (context: RemoteContext, accountId: string, daemonId: string) {
  const { local, locations, writer, rpc, daemons, isPartitioned } = context
  for (let round = 0; round < nodeFollowMax; round++) {
    const node = (yield* placeOf(context, { accountId, daemonId }, round))?.node ?? null
    if (node === null) return undefined
    if (node === writer.node) {
      const here = local.snapshot(accountId, daemonId)
      if (here !== undefined || writer.isReleasing(daemonId)) return here
    } else {
      if (rpc === undefined || isPartitioned()) break
      const answer = yield* rpc.put(node, { ask: "snapshot", accountId, daemonId }, nodeSnapshotMillis)
      if (answer?.is === "snapshots" && answer.snapshots[0] !== undefined) return answer.snapshots[0]
      locations.forget(daemonId)
    }
  }
  const stored = yield* daemons.snapshot(accountId, daemonId)
  return stored?.online === true ? stored : undefined
})

const watch = Effect.fnUntraced(function* (context: RemoteContext, asked: AgentWatch, millis: number) {
  const { local, locations, writer, rpc, isPartitioned } = context
  const node = (yield* placeOf(context, asked, 0))?.node ?? null
  if (node === null) return undefined
  if (node === writer.node) return yield* local.watch(asked, millis)
  if (rpc === undefined || isPartitioned() || rpc.busy() !== undefined) return undefined
  const answer = yield* rpc.put(node, { ask: "watch", watch: asked, millis }, millis)
  if (answer?.is === "snapshots" && answer.snapshots[0] !== undefined) return answer.snapshots[0]
  locations.forget(asked.daemonId)
  return undefined
})

/** What a node has of an account; nothing when it does not answer. */
const snapshotsAt = (
  { rpc, isPartitioned }: RemoteContext,
  node: string,
  accountId: string
): Effect.Effect<ReadonlyArray<Snapshot>> =>
  rpc === undefined || isPartitioned()
    ? Effect.succeed([])
    : Effect.map(rpc.put(node, { ask: "snapshots", accountId }, nodeSnapshotMillis), (answer) =>
        answer?.is === "snapshots" ? answer.snapshots : []
      )

const of = Effect.fnUntraced(function* (context: RemoteContext, accountId: string) {
  const { locations, writer, daemons } = context
  const elsewhere = (yield* locations.of(accountId)).filter(({ node }) => node !== writer.node)
  if (elsewhere.length === 0) return []
  const nodes = new Set(elsewhere.map(({ node }) => node!))
  const answers = yield* Effect.forEach(nodes, (node) => snapshotsAt(context, node, accountId), {
    concurrency: nodesAskedMax
  })
  const found = new Map(answers.flat().map((one) => [one.daemonId, one]))
  const missing = elsewhere.flatMap(({ daemonId }) => (found.has(daemonId) ? [] : [daemonId]))
  if (missing.length > 0) {
    for (const one of yield* daemons.snapshotsById(accountId, missing)) if (one.online) found.set(one.daemonId, one)
  }
  return [...found.values()]
})

/** Undefined: it is nowhere now, or cannot be asked; it is looked for again. */
const subscribeLog = Effect.fnUntraced(
  function* ({ locations, writer, rpc, isPartitioned }: RemoteContext, asked: LogAsked, listener: LogListener) {
    if (rpc === undefined || isPartitioned()) return undefined
    const { accountId, daemonId } = asked
    const known = locations.remembered(accountId, daemonId)
    const node = known ?? (yield* locations.read(accountId, daemonId))?.node ?? null
    if (node === null || node === writer.node) {
      locations.forget(daemonId)
      return undefined
    }
    const gone = (): void => {
      locations.forget(daemonId)
      listener.gone()
    }
    return rpc.subscribeLog(node, asked, { ...listener, gone })
  },
  Effect.catch(() => Effect.succeed(undefined))
)

/** The daemons that are not in the roster of this node. */
export const remoteDaemons = (
  context: RemoteContext
): Pick<Cluster["Service"], "command" | "order" | "find" | "watch" | "of" | "subscribeLog"> => ({
  command: (asked, millis) => Effect.suspend(() => command(context, asked, millis)),
  order: (accountId, daemonId, reason) => order(context, accountId, daemonId, reason),
  find: (accountId, daemonId) => find(context, accountId, daemonId),
  watch: (asked, millis) => watch(context, asked, millis),
  subscribeLog: (asked, listener) => subscribeLog(context, asked, listener),
  // without other nodes the list of daemons is answered from memory
  of: (accountId) => (context.rpc === undefined ? Effect.succeed([]) : of(context, accountId))
})
