/**
 * The lease of this node, and takeovers. A node whose heartbeat was late states again what it holds; every node takes
 * over the daemons of dead nodes, and finds the rows that name it but are not in its roster. Owns when each is due;
 * presence-writer.ts orders the writes.
 */
import { Effect } from "effect"
import { nodeLeaseMillis, nodeStepDaemons, nodeStraysMillis } from "../../src/limits/nodes.ts"
import type { Timers } from "../../src/runtime/timers.ts"
import type { Nodes, OtherNode } from "../../src/store/daemons/nodes.ts"
import type { HeldDaemon, PresenceStore } from "../../src/store/daemons/presence.ts"
import type { PresenceWriter } from "../presence/presence-writer.ts"
import type { Roster } from "../presence/roster.ts"

/** What it works with. */
export interface TakeoverContext {
  readonly nodes: Nodes["Service"]
  readonly store: Pick<PresenceStore["Service"], "takeOver" | "heldBy" | "heldSnapshots">
  readonly writer: PresenceWriter["Service"]
  readonly roster: Pick<Roster["Service"], "adopt" | "reclaim" | "all" | "find">
  readonly timers: Pick<Timers["Service"], "monotonic">
  /** This node is the whole hub: whatever another node holds is its own. */
  readonly alone: boolean
  readonly onBus: () => boolean
  /** Told at each heartbeat which other nodes cannot be asked. */
  readonly silent: (nodes: ReadonlyArray<string>) => void
}

/** The lease of this node. */
export class Takeover {
  private readonly with: TakeoverContext
  private searchedAt: number
  private others: ReadonlyArray<OtherNode> = []
  /** Since when each heartbeat was in time: before a lease has passed no other node is taken for dead. */
  private inTimeSince: number
  /** Others may have taken over what this node holds. */
  private lapsed = false
  /** When the last heartbeat began that was answered, and whether one since was not. */
  private answeredAt: number
  private isUnanswered = false

  constructor(context: TakeoverContext) {
    this.with = context
    this.inTimeSince = context.timers.monotonic()
    this.searchedAt = this.inTimeSince
    this.answeredAt = this.inTimeSince
  }

  /** A heartbeat. True: the lease had ended before it, or may have before an earlier one whose answer was lost. */
  private readonly beatOnce = Effect.suspend(() => {
    const { nodes, writer, onBus, timers } = this.with
    const began = timers.monotonic()
    return Effect.mapBoth(nodes.beat(writer.node, onBus()), {
      onFailure: (failure) => {
        this.isUnanswered = true
        return failure
      },
      onSuccess: (lapsed) => {
        const mayHave = this.isUnanswered && timers.monotonic() - this.answeredAt > nodeLeaseMillis
        this.isUnanswered = false
        this.answeredAt = began
        return lapsed || mayHave
      }
    })
  })

  /** Renews the lease and looks who else has one. */
  readonly beat = Effect.suspend(() => {
    const { nodes, writer, silent, timers } = this.with
    const late = Effect.sync(() => {
      this.inTimeSince = timers.monotonic()
    })
    return this.beatOnce.pipe(
      Effect.tap((lapsed) => {
        if (!lapsed) return Effect.void
        this.lapsed = true
        return late
      }),
      Effect.andThen(nodes.others(writer.node)),
      Effect.map((others) => {
        // one heartbeat without a bus may be a moment without one
        const before = new Set(this.others.flatMap(({ node, onBus }) => (onBus ? [] : [node])))
        this.others = others
        return silent(
          others.flatMap(({ node, alive, onBus }) => (!alive || (!onBus && before.has(node)) ? [node] : []))
        )
      }),
      Effect.tapError(() => late)
    )
  })

  /** The other nodes that can be asked, as of the last heartbeat. */
  reachable(): ReadonlyArray<string> {
    return this.others.flatMap(({ node, alive, onBus }) => (alive && onBus ? [node] : []))
  }

  /** One round: what is ours, what we lost sight of, what dead nodes held. */
  readonly round = Effect.suspend(() =>
    Effect.andThen(
      Effect.andThen(this.lapsed ? this.reclaimAll : Effect.void, this.findStrays),
      Effect.forEach(this.dead(), this.takeOver, { discard: true })
    )
  )

  /** Takes over whatever any other node holds: this one is alone. */
  readonly takeOverAll = Effect.suspend(() => {
    const { nodes, writer } = this.with
    return Effect.flatMap(nodes.others(writer.node), (others) =>
      Effect.forEach(others, ({ node }) => this.takeOver(node), { discard: true })
    )
  })

  private dead(): ReadonlyArray<string> {
    if (this.with.timers.monotonic() - this.inTimeSince < nodeLeaseMillis) return []
    return this.others.filter(({ alive }) => !alive).map(({ node }) => node)
  }

  private readonly takeOver = (dead: string) => {
    const { store, writer, roster, alone } = this.with
    const step = Effect.map(store.takeOver(writer.node, dead, nodeStepDaemons, alone), (snapshots) => {
      for (const snapshot of snapshots) roster.adopt(snapshot)
      return snapshots.length
    })
    return Effect.gen(function* () {
      while ((yield* writer.exclusive(step)) > 0) {
        // claims that wait are written between two steps
      }
    }).pipe(Effect.tapError(() => Effect.sync(writer.doubt)))
  }

  private readonly reclaimAll = Effect.suspend(() => {
    const { roster } = this.with
    this.lapsed = false
    const ids = roster.all().map(({ snapshot }) => snapshot.daemonId)
    return Effect.forEach(ids, roster.reclaim, { concurrency: nodeStepDaemons, discard: true }).pipe(
      Effect.tapError(() =>
        Effect.sync(() => {
          this.lapsed = true
        })
      )
    )
  })

  /** When an answer was lost, and now and then: a write may be carried out after it was given up. */
  private readonly findStrays = Effect.suspend(() => {
    const { store, writer, roster, timers } = this.with
    const isDue = timers.monotonic() - this.searchedAt >= nodeStraysMillis
    if (!writer.takeDoubt() && !isDue) return Effect.void
    this.searchedAt = timers.monotonic()
    let after = ""
    const isStray = ({ daemonId, epoch }: HeldDaemon): boolean =>
      !writer.isReleasing(daemonId) && (roster.find(daemonId)?.snapshot.epoch ?? 0) < epoch
    const step = Effect.gen(function* () {
      const held = yield* store.heldBy(writer.node, after, nodeStepDaemons)
      const strays = held.filter(isStray).map(({ daemonId }) => daemonId)
      if (strays.length > 0) {
        for (const snapshot of yield* store.heldSnapshots(writer.node, strays)) roster.adopt(snapshot)
      }
      after = held.at(-1)?.daemonId ?? after
      return held.length
    })
    return Effect.gen(function* () {
      while ((yield* writer.exclusive(step)) === nodeStepDaemons) {
        // likewise
      }
    }).pipe(Effect.tapError(() => Effect.sync(writer.doubt)))
  })
}
