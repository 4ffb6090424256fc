/** What becomes of a token that a daemon comes with: it is admitted, or declined. Owns the shapes; looks nothing up. */
import type { ToldStatus } from "../../src/domain/daemon/agent-status.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { IceSet } from "../../src/outbound/ice.ts"
import type { TokenOwner } from "../../src/store/daemons/daemons.ts"
import type { Claim } from "../cluster/cluster.ts"

/**
 * Why a token admits nobody now. `disabled`: the account of this daemon is. A number: the intake is full, so many
 * milliseconds.
 */
export type Declined = "revoked" | "unknown" | { readonly disabled: string } | number

/** A token that is good, and what its daemon gets. */
export interface Admitted {
  readonly owner: TokenOwner
  readonly ice: IceSet
  /** The number of this connection. */
  readonly epoch: number
  /** What was told of its agents before. */
  readonly told: ToldStatus | undefined
  /** What the other nodes know of it, and its snapshot while it was there. */
  readonly word: Claim["word"]
  readonly before: Snapshot | undefined
}
