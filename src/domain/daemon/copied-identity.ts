/** Two machines with one token, as of a disk image that was made with a state file: by what that is noticed. Pure. */
import type { Auth } from "../../protocol/frames.ts"
import type { Problem, Snapshot } from "./snapshot.ts"

/** What the status of such a daemon says. */
export const copiedIdentity: Problem = {
  at: "auth.hostname",
  reason:
    "is another than that of the connection which this one replaced: two machines may have one token, as of a copied disk image; have one of them join anew (--fresh-identity)"
}

/** Whether a connection took the place of one of another machine. */
export const replacesAnother = (
  { hostname }: Pick<Auth, "hostname">,
  before: Snapshot | undefined
): before is Snapshot =>
  before?.online === true && before.hostname !== "" && hostname !== undefined && hostname !== before.hostname
