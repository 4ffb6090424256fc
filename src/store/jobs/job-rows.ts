/** The rows of jobs and of their targets as values. Owns what a null in them means; runs nothing. */
import type { Omitted } from "../../domain/command/stored-command.ts"
import { isId } from "../../domain/ids.ts"
import {
  type Job,
  type JobTarget,
  noTargets,
  type Rollout,
  type TargetCounts,
  type TargetState
} from "../../domain/job/job.ts"
import { type OutcomeRow, outcomeOf } from "../daemons/commands.ts"
import * as query from "../sql/query.ts"

type Plain = Omit<Job, "rollout" | "createdBy">

/** A row of `jobColumns`. */
export type JobRow = query.Nullable<Plain> &
  query.Nullable<Rollout> & { readonly keyId: string | null; readonly sessionId: string | null }

const makerOf = ({ keyId, sessionId }: Pick<JobRow, "keyId" | "sessionId">): Job["createdBy"] => {
  if (keyId !== null) return { kind: isId("grant", keyId) ? "grant" : "key", id: keyId }
  return sessionId === null ? undefined : { kind: "session", id: sessionId }
}

/** The job of a row. */
export const jobOf = (row: JobRow): Job => {
  const { perMinute, concurrency, abortAfterFailures, successExitCodes, steps, keyId, sessionId, ...rest } = row
  return {
    ...query.withoutNulls<Plain>(rest),
    createdBy: makerOf({ keyId, sessionId }),
    rollout: query.withoutNulls<Rollout>({ perMinute, concurrency, abortAfterFailures, successExitCodes, steps })
  }
}

/** A row of `countsText`. */
export interface CountRow {
  readonly state: TargetState
  readonly number: number
}

/** The counts of all rows of it. */
export const countsOf = (rows: ReadonlyArray<CountRow>): TargetCounts => ({
  ...noTargets,
  ...Object.fromEntries(rows.map(({ state, number }) => [state, number]))
})

/** A row of `targetsText`. */
export type TargetRow = OutcomeRow & {
  readonly daemonId: string
  readonly state: TargetState
  readonly commandId: string | null
  readonly error: string | null
  readonly finishedAt: number | null
}

/** The target of a row. */
export const targetOf = ({ daemonId, state, commandId, error, finishedAt, ...row }: TargetRow): JobTarget => ({
  daemonId,
  state,
  commandId: commandId ?? undefined,
  error: error ?? undefined,
  finishedAt: finishedAt ?? undefined,
  exitCode: row.exitCode ?? undefined,
  output: outcomeOf(row).outcome?.output
})

/** A target, and what its daemon answered, as JSON, as far as it is kept. */
export interface TargetResult extends JobTarget {
  readonly omitted: Omitted | undefined
  readonly result: string | undefined
}

/** A row of `resultsText`. */
export type ResultRow = TargetRow & { readonly omitted: Omitted | null; readonly result: string | null }

/** The target of such a row, with its result. */
export const resultOf = ({ omitted, result, ...row }: ResultRow): TargetResult => ({
  ...targetOf(row),
  omitted: omitted ?? undefined,
  result: result ?? undefined
})
