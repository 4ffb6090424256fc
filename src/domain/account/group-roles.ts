/** From the groups of a person at a sign-in provider to their role here. Owns that mapping; pure. */
import { type Role, roles } from "./roles.ts"

/** What the members of a group are. */
export interface GroupRole {
  readonly group: string
  readonly role: Role
}

/** Reads `group=role`; undefined when it is neither. A name of a group may hold `=`: the last one counts. */
export const readGroupRole = (text: string): GroupRole | undefined => {
  const at = text.lastIndexOf("=")
  const [group, word] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  const role = roles.find((one) => one === word)
  return at < 1 || group === "" || role === undefined ? undefined : { group, role }
}

/**
 * The highest role of the groups that a claim names, which is a text or several; undefined: none of them has one.
 * Without a table the name of a group is its role.
 */
export const roleOfGroups = (claim: unknown, table: ReadonlyArray<GroupRole>): Role | undefined => {
  const groups: ReadonlyArray<unknown> = Array.isArray(claim) ? claim : [claim]
  const named = table.length === 0 ? roles.map((role) => ({ group: role, role })) : table
  return roles.findLast((role) => named.some((one) => one.role === role && groups.includes(one.group)))
}
