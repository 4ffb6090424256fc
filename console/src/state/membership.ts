/** Who is signed in, as a member of which account, and where else they belong. Owns that reading. */
import type { Output } from "@hub/client"
import { client } from "./session.ts"
import { Store } from "./store.ts"

/** The answer of `/me`. */
export type Me = Output<"account.me">
export type Role = Me["role"]

/** Every role, from the least. */
export const roles: ReadonlyArray<Role> = ["viewer", "operator", "admin", "owner"]

/** Who is signed in; undefined: not read yet. */
export const me = new Store<Me | undefined>(undefined)

/** Whether a role may do what needs this one; while it is not known, the hub is asked. */
export const may = (who: Me | undefined, least: Role): boolean =>
  who === undefined || roles.indexOf(who.role) >= roles.indexOf(least)

/** The roles that a member may give: no more than they have. */
export const givable = (who: Me | undefined): ReadonlyArray<Role> =>
  who === undefined ? [] : roles.slice(0, roles.indexOf(who.role) + 1)

let readings = 0

/** Reads it anew; the newest reading counts. A failure leaves what was read: the views say what is wrong. */
export const readMe = async (): Promise<void> => {
  readings += 1
  const own = readings
  try {
    const read = await client.account.me()
    if (own === readings) me.set(read)
  } catch {
    // the view that is shown says it
  }
}
