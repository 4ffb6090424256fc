/**
 * The cluster of a single node: every claim succeeds at once, and every look-up finds nothing. Owns no state.
 */
import { Effect } from "effect"
import type { Daemons } from "../../src/store/daemons/daemons.ts"
import type { Cluster } from "./cluster.ts"

/** A hub that is one node. */
export const singleNode = (daemons: Daemons["Service"]): Cluster["Service"] => ({
  isSingleNode: true,
  claim: () => Effect.succeed({ word: "first", before: undefined }),
  resolveClaim: (_snapshot, told) => told(true),
  release: (_snapshot, told) => told(true),
  publishSnapshots: () => {},
  recovered: daemons.recordedOnline,
  attachRoster: () => {},
  attachDirectory: () => {},
  find: () => Effect.succeed(undefined),
  isOfflineEverywhere: () => Effect.succeed(true),
  of: () => Effect.succeed([]),
  command: () => Effect.succeed(undefined),
  order: () => Effect.succeed(false),
  isPartitioned: () => false,
  isLastNode: Effect.succeed(true),
  announceDrain: () => {}
})
