/** A member of an account as credentials carry it: who, with which role, bound to which daemons. Owns the shape. */
import { Result } from "effect"
import { bothOf, readSelector, type Selector } from "../daemon/selector.ts"
import type { Role } from "./roles.ts"

/** A membership as it is stored; `selector`: its text, null: all daemons of the account. */
export interface Member {
  readonly personId: string
  readonly role: Role
  readonly selector: string | null
}

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
