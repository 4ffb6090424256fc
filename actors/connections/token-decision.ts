/** The decision about a token: its daemon is admitted, or declined. Owns the shapes; looks nothing up. */
import type { IceSet } from "../../src/outbound/ice.ts"
import type { TokenOwner } from "../../src/store/daemons/daemons.ts"
import type { Claimed } from "../../src/store/daemons/presence.ts"

/**
 * Why a token is declined now. `disabled`: the account of this daemon is. A number: the connect throttle is
 * full; come back after so many milliseconds.
 */
export type Declined = "revoked" | "unknown" | { readonly disabled: string } | number

/** A token that is good, and what its daemon gets. */
export interface Admitted {
  readonly owner: TokenOwner
  readonly ice: IceSet
  /** The claim of this connection. */
  readonly claimed: Claimed
}
