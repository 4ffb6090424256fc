/**
 * The logs of sessions and commands, for their readers on this node. Owns one feed per log that is read, and the
 * bounds on streams. Who may read a log is for its caller to judge; keeps no event and writes to no socket.
 */
import { Context, Effect, Layer } from "effect"
import { Bus } from "../../src/bus/bus.ts"
import { makeBuckets } from "../../src/domain/limits/buckets.ts"
import { HeldBytes } from "../../src/domain/limits/held-bytes.ts"
import { keyOf } from "../../src/domain/log/log.ts"
import type { Position } from "../../src/domain/log/position.ts"
import { shareOfFree } from "../../src/limits/edge.ts"
import {
  logFanOutBurstBytes,
  logFanOutBytesPerSecond,
  logHeldCostAllMax,
  logHeldCostPerAccountMax,
  logPageCostBurst,
  logPageCostPerSecond,
  logPageUsual,
  logStreamsMax,
  logStreamsPerAccountMax
} from "../../src/limits/logs.ts"
import { watchInScope } from "../../src/runtime/metrics.ts"
import { NodeCost } from "../../src/runtime/node-cost.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Cluster } from "../cluster/cluster.ts"
import { makeLocalDaemons } from "../cluster/local-daemons.ts"
import { Directory } from "../commands/directory.ts"
import { DaemonReads, readPage } from "./daemon-reads.ts"
import { type FeedContext, LogFeed, type WhichLog } from "./log-feed.ts"
import type { LogReader } from "./log-stream.ts"

/** How a log is read as it happens. */
export interface StreamAsked extends WhichLog {
  /** With the pieces of messages. */
  readonly deltas: boolean
  /** Behind which place; undefined: from where the log stands. */
  readonly from: Position | undefined
}

/** How a page of a log is read. */
export interface PageAsked extends WhichLog {
  readonly deltas: boolean
  readonly from: Position
  readonly limit: number
}

const feedContext = Effect.gen(function* () {
  const timers = yield* Timers
  const cluster = yield* Cluster
  const directory = yield* Directory
  const local = yield* makeLocalDaemons
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const reads = new DaemonReads((work) => run(work))
  const subscribe: FeedContext["subscribe"] = (asked, listener, then) => {
    const here = local.subscribeLog(asked, listener)
    if (here !== undefined || cluster.isSingleNode) {
      then(here)
      return () => {}
    }
    let isOver = false
    const fiber = run(cluster.subscribeLog(asked, listener))
    fiber.addObserver((exit) => {
      const found = exit._tag === "Success" ? exit.value : undefined
      if (isOver) found?.close()
      else then(found)
    })
    return () => {
      isOver = true
    }
  }
  const now = (): number => timers.monotonic()
  const fanOut = makeBuckets(logFanOutBytesPerSecond, logFanOutBurstBytes, now)
  const pages = makeBuckets(logPageCostPerSecond, logPageCostBurst, now)
  const node = yield* NodeCost
  const chargeOf =
    (accountId: string) =>
    (cost: number): void => {
      pages(accountId).owe(cost, now())
      node.owe(accountId, cost)
    }
  const read: FeedContext["read"] = (which, from, deltas, then) => {
    const { accountId, daemonId } = which
    const page = readPage(directory, chargeOf(accountId), which, from, logPageUsual, deltas)
    const begin = (): void => {
      const wait = Math.max(pages(accountId).untilPaid(now()), node.wait(accountId))
      if (wait === 0) reads.start(daemonId, page, then)
      else timers.after(wait, begin)
    }
    begin()
  }
  const held = new HeldBytes(logHeldCostAllMax, logHeldCostPerAccountMax)
  return { timers, directory, subscribe, read, held, fanOut, chargeOf }
})

const make = Effect.gen(function* () {
  const { directory, chargeOf, ...context } = yield* feedContext
  const bus = yield* Bus
  const feeds = new Map<string, LogFeed>()
  const byAccount = new Map<string, number>()
  let streams = 0

  const keyOfLog = ({ accountId, daemonId, log }: WhichLog): string => `${accountId} ${daemonId} ${keyOf(log)}`
  const add = (accountId: string, by: 1 | -1): void => {
    streams += by
    const sum = (byAccount.get(accountId) ?? 0) + by
    if (sum === 0) byAccount.delete(accountId)
    else byAccount.set(accountId, sum)
  }
  const room = (accountId: string): boolean => {
    const own = byAccount.get(accountId) ?? 0
    const free = logStreamsMax - streams
    return free > 0 && own < logStreamsPerAccountMax && (own === 0 || own < free * shareOfFree)
  }

  const feedOf = (which: WhichLog): LogFeed => {
    const key = keyOfLog(which)
    const known = feeds.get(key)
    if (known !== undefined) return known
    const { accountId, daemonId, log } = which
    const left = (): void => void feeds.delete(key)
    const feed = new LogFeed({ ...context, left }, { accountId, daemonId, log })
    feeds.set(key, feed)
    return feed
  }

  const open = ({ deltas, from, ...which }: StreamAsked, reader: LogReader): (() => void) | undefined => {
    if (!room(which.accountId)) return undefined
    add(which.accountId, 1)
    const feed = feedOf(which)
    const stream = feed.add(reader, deltas, from)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      add(which.accountId, -1)
      feed.remove(stream)
    }
  }

  yield* bus.subscribe("daemon_ordered", ({ daemonId, order }) => {
    if (order !== "revoke") return
    for (const feed of [...feeds.values()]) if (feed.which.daemonId === daemonId) feed.end("daemon_revoked")
  })
  yield* watchInScope("hub_log_streams", () => streams)

  return {
    /** Reads a log as it happens; what it returns ends that. Undefined: too many streams are open. */
    open,
    /** Whether the account may open one more. */
    room,
    /** Reads a page of a log at its daemon. */
    read: ({ from, limit, deltas, ...which }: PageAsked) =>
      readPage(directory, chargeOf(which.accountId), which, from, limit, deltas),
    /** Open streams, and logs that are read. */
    size: () => ({ streams, feeds: feeds.size })
  }
})

export class SessionLogs extends Context.Service<SessionLogs, Effect.Success<typeof make>>()("hub/SessionLogs") {
  static readonly layer = Layer.effect(SessionLogs, make)
}
