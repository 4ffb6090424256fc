/**
 * A member of an account as credentials carry it: who, with which role, bound to which daemons. Owns the shape, and who
 * may be bound.
 */
import { Result } from "effect"
import { ValidationFailed } from "../../errors.ts"
import { bothOf, boundText, readSelector, type Selector } from "../daemon/selector.ts"
import { isId } from "../ids.ts"
import { isAtLeast, type Role } from "./roles.ts"

/** A membership as it is stored; `selector`: its text, null: all daemons of the account. */
export interface Member {
  readonly personId: string
  readonly role: Role
  readonly selector: string | null
}

/** The one way to write the selector that a member is bound to; null: none. An empty one binds to nothing. */
export const readMemberSelector = (given: string): Result.Result<string | null, ValidationFailed> =>
  Result.map(readSelector(given), boundText)

/** Why a member with this role is not bound to these daemons; undefined: they may be. */
export const wideRole = (role: Role, selector: string | null): ValidationFailed | undefined => {
  if (selector === null || !isAtLeast(role, "admin")) return undefined
  const message = `a member with the role ${role}, which is of the whole account, is bound to no daemons`
  return new ValidationFailed({ issues: [{ path: "selector", message }] })
}

/** Who is behind a credential, by what the id is of; both null: neither is. */
export const shownOwner = (owner: string | undefined) => ({
  person: owner !== undefined && isId("person", owner) ? owner : null,
  serviceAccount: owner !== undefined && isId("serviceAccount", owner) ? owner : null
})

/**
 * What all of these stored selectors leave, null and undefined ones leaving all. "unreadable": one cannot be read, and
 * must not open everything.
 */
export const boundTo = (stored: ReadonlyArray<string | null | undefined>): Selector | undefined | "unreadable" => {
  let all: Selector | undefined
  for (const text of stored) {
    if (text == null) continue
    const read = readSelector(text)
    if (Result.isFailure(read)) return "unreadable"
    all = bothOf(all, read.success)
  }
  return all
}
