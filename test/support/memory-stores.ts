/**
 * The stores of nodes over the tables of the simulation, which fail, wait and are counted as a test wants. Owns no row
 * and no rule: store-conformance.db.test.ts holds the statements to the SQL of the stores.
 */
import { Clock, Effect, Layer } from "effect"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { StoreFailed } from "../../src/errors.ts"
import { Commands } from "../../src/store/daemons/commands.ts"
import { Daemons } from "../../src/store/daemons/daemons.ts"
import { Nodes } from "../../src/store/daemons/nodes.ts"
import { PresenceStore } from "../../src/store/daemons/presence.ts"
import { commandsOf, daemonsOf, nodesOf, presenceOf, type Statements } from "../simulation/store/ports.ts"
import { Tables } from "../simulation/store/tables.ts"

/** The one webhook, to which all is delivered. */
export const onlyWebhook = "whk"

/** What all nodes of a world store in. */
export interface MemoryStore {
  readonly tables: Tables
  /** What each statement stored, in order. */
  readonly saves: Array<ReadonlyArray<Snapshot>>
  lookups: number
  failing: boolean
  /** Awaited by every look-up, when set. */
  hold: Effect.Effect<unknown> | undefined
  /** The deliveries that were committed with presence, in order. */
  readonly announced: Array<{ readonly daemonId: string; readonly event: string; readonly node: string }>
}

/** An empty one. */
export const makeMemoryStore = (): MemoryStore => {
  const store: MemoryStore = {
    tables: new Tables(() => 0),
    saves: [],
    lookups: 0,
    failing: false,
    hold: undefined,
    announced: []
  }
  const { tables } = store
  tables.webhooks.set(onlyWebhook, { id: onlyWebhook, active: true } as never)
  const announce = (daemonId: string, node: string, deliveries: ReadonlyArray<{ readonly event: string }>): void => {
    for (const { event } of deliveries) store.announced.push({ daemonId, event, node })
  }
  tables.watch = {
    inserted: () => {},
    began: announce,
    ended: (daemonId, node, _reason, deliveries) => announce(daemonId, node, deliveries),
    firstEnd: () => {}
  }
  return store
}

/** Runs statements at once, or fails while `away` says so. */
export const statementsOn = (tables: Tables, away: () => boolean = () => false): Statements => {
  const ask: Statements["read"] = (operation, run) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (away()) return Effect.fail(new StoreFailed({ operation, cause: "away" }))
      tables.now = () => now
      return Effect.sync(() => run(tables))
    })
  return { read: ask, write: ask }
}

const daemons = (store: MemoryStore, line: Statements): Daemons["Service"] => ({
  ...daemonsOf(line),
  tokenOwner: (hash) =>
    Effect.suspend(() => {
      store.lookups++
      return daemonsOf(line).tokenOwner(hash)
    }).pipe(Effect.tap(Effect.suspend(() => store.hold ?? Effect.void))),
  saveSnapshots: (snapshots) =>
    line
      .write("store snapshots", () => void store.saves.push(snapshots.map((one) => ({ ...one }))))
      .pipe(Effect.andThen(daemonsOf(line).saveSnapshots(snapshots))),
  remove: (accountId, id) =>
    line.write("remove a daemon", ({ daemons, presence, tokens }) => {
      if (daemons.get(id)?.accountId !== accountId) return false
      daemons.delete(id)
      presence.delete(id)
      for (const [hash, token] of tokens) if (token.daemonId === id) tokens.delete(hash)
      return true
    }),
  enrol: () => Effect.succeed(undefined),
  enrolled: () => Effect.succeed([]),
  removeEphemeral: () => Effect.succeed([])
})

/** As one node has them; they fail for it while `apart` says so, but for commands. */
export const memoryStores = (store: MemoryStore, apart: () => boolean) => {
  const line = statementsOn(store.tables, () => store.failing || apart())
  return Layer.mergeAll(
    Layer.succeed(Daemons, daemons(store, line)),
    Layer.succeed(Nodes, nodesOf(line)),
    Layer.succeed(PresenceStore, presenceOf(line)),
    Layer.succeed(Commands, commandsOf(statementsOn(store.tables)))
  )
}
