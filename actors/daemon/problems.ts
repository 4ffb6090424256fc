/**
 * What did not fit of a connection's frames, as its daemon's author is to see it: of reports the newest counts, of all
 * else each once. Owns that bookkeeping and which of it is new; pure.
 */

import type { Problem, Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { problemsShownMax } from "../../src/limits.ts"
import type { SchemaViolation } from "../../src/protocol/tolerant.ts"
import type { DaemonAction, DaemonState, Problems } from "./state.ts"

const nothing: ReadonlyArray<DaemonAction> = []

const keyOf = ({ member, reason }: SchemaViolation): string => `${member} ${reason}`

const kept = (state: DaemonState): Problems => {
  state.problems ??= { report: [], unread: undefined, others: [], logged: new Set() }
  return state.problems
}

/** The snapshot with what is kept by now. */
const showing = (snapshot: Snapshot, { unread, others, report }: Problems): Snapshot => {
  const problems = [...(unread === undefined ? [] : [unread]), ...others, ...report]
    .slice(0, problemsShownMax)
    .map(({ at, reason }): Problem => ({ at, reason }))
  return { ...snapshot, problems }
}

/** Counts them all, and logs those that are new. */
const told = (problems: Problems, misfits: ReadonlyArray<SchemaViolation>): ReadonlyArray<DaemonAction> => {
  const fresh: Array<SchemaViolation> = []
  for (const misfit of misfits) {
    if (problems.logged.size >= problemsShownMax || problems.logged.has(keyOf(misfit))) continue
    problems.logged.add(keyOf(misfit))
    fresh.push(misfit)
  }
  return misfits.length === 0 ? nothing : [{ do: "misfits", misfits, fresh }]
}

/** The turn of what did not fit in a frame that is no report: it is shown from now on. */
export const noteMisfits = (
  state: DaemonState,
  misfits: ReadonlyArray<SchemaViolation> | undefined
): ReadonlyArray<DaemonAction> => {
  if (misfits === undefined) return nothing
  const problems = kept(state)
  const known = new Set(problems.others.map(keyOf))
  const added = misfits.filter((misfit) => !known.has(keyOf(misfit))).slice(0, problemsShownMax - known.size)
  problems.others.push(...added)
  const actions = told(problems, misfits)
  if (added.length === 0) return actions
  state.snapshot = showing(state.snapshot, problems)
  return [...actions, { do: "show", snapshot: state.snapshot }]
}

/** The same of a report whose snapshot is about to be told. */
export const noteReport = (
  state: DaemonState,
  misfits: ReadonlyArray<SchemaViolation> | undefined
): ReadonlyArray<DaemonAction> => {
  if (misfits === undefined && state.problems === undefined) return nothing
  const problems = kept(state)
  problems.report = misfits ?? []
  problems.unread = undefined
  state.snapshot = showing(state.snapshot, problems)
  return told(problems, problems.report)
}

/** A report was not read, or is not kept: that is shown once, until one is. */
export const noteUnread = (state: DaemonState, reason: string): ReadonlyArray<DaemonAction> => {
  const problems = kept(state)
  if (problems.unread?.reason === reason) return nothing
  const misfit: SchemaViolation = { member: "status_report", at: "status_report", reason, times: 1 }
  problems.unread = misfit
  const actions = told(problems, [misfit])
  state.snapshot = showing(state.snapshot, problems)
  return [...actions, { do: "show", snapshot: state.snapshot }]
}
