/**
 * Every migration, in order, forward only. A published one never changes; what is wrong in one is put right by the
 * next. Owns which databases this version can carry over.
 */
import { statements as base } from "./0027_base.ts"
import { statements as jobKey } from "./0028_job_key.ts"
import { statements as deviceCodeAddress } from "./0029_device_code_address.ts"
import { statements as turnSets } from "./0030_turn_sets.ts"
import { statements as daemonVersions } from "./0031_daemon_versions.ts"
import { statements as jobOutcomes } from "./0032_job_outcomes.ts"
import { statements as commandTexts } from "./0033_command_texts.ts"
import { statements as deviceJoinKey } from "./0034_device_join_key.ts"
import { statements as policies } from "./0035_policies.ts"
import { statements as people } from "./0036_people.ts"
import { statements as oauth } from "./0037_oauth.ts"
import { statements as push } from "./0038_push.ts"
import { statements as pushAnswers } from "./0039_push_answers.ts"
import { statements as daemonReleases } from "./0040_daemon_releases.ts"
import { statements as policyVersions } from "./0041_policy_versions.ts"
import { statements as commandsOfDaemon } from "./0042_commands_of_daemon.ts"

/** One step of the schema. */
export interface Migration {
  readonly id: number
  readonly name: string
  readonly statements: ReadonlyArray<string>
  /**
   * The step that a hub must know at least to run on a database that has had this one. Absent for what only adds: the
   * version before it goes on beside this one, and can be started again. What takes something away names the first step
   * of the version that no longer used it.
   */
  readonly needs?: number
  /** No node may run meanwhile: one of an earlier version would announce what the database no longer knows of. */
  readonly alone?: true
}

/** The steps this version knows. */
export const migrations: ReadonlyArray<Migration> = [
  { id: 27, name: "0027_base", statements: base },
  { id: 28, name: "0028_job_key", statements: jobKey },
  { id: 29, name: "0029_device_code_address", statements: deviceCodeAddress },
  { id: 30, name: "0030_turn_sets", statements: turnSets },
  { id: 31, name: "0031_daemon_versions", statements: daemonVersions },
  { id: 32, name: "0032_job_outcomes", statements: jobOutcomes },
  { id: 33, name: "0033_command_texts", statements: commandTexts },
  { id: 34, name: "0034_device_join_key", statements: deviceJoinKey },
  { id: 35, name: "0035_policies", statements: policies },
  { id: 36, name: "0036_people", statements: people },
  { id: 37, name: "0037_oauth", statements: oauth },
  { id: 38, name: "0038_push", statements: push },
  { id: 39, name: "0039_push_answers", statements: pushAnswers },
  { id: 40, name: "0040_daemon_releases", statements: daemonReleases },
  { id: 41, name: "0041_policy_versions", statements: policyVersions },
  { id: 42, name: "0042_commands_of_daemon", statements: commandsOfDaemon }
]

/** The revision of the hub that brings a database to the first of these steps. */
export const baseRevision = "132bee41"

/** A step that a database has had. `needs`: see Migration; absent where an earlier version noted it. */
export interface AppliedStep {
  readonly id: number
  readonly needs: number | null
}

/** The steps that count for a version that knows these: what a later one only added is none of its business. */
export const relevantSteps = <A extends AppliedStep>(
  applied: ReadonlyArray<A>,
  known: ReadonlyArray<number>
): ReadonlyArray<A> => {
  const last = known.at(-1) ?? 0
  return applied.filter(({ id, needs }) => id <= last || (needs ?? id) > last)
}

/**
 * How the steps that a database has had, by their ids, stand to those that a version knows. `older`: it ended
 * before the first of them. `newer`: it had some that are unknown.
 */
export const standingOf = (
  applied: ReadonlyArray<number>,
  known: ReadonlyArray<number>
): { readonly older: boolean; readonly newer: number | undefined; readonly missing: ReadonlyArray<number> } => ({
  older: applied.length > 0 && applied.every((id) => id < known[0]!),
  newer: applied.find((id) => id > known[0]! && !known.includes(id)),
  missing: known.filter((id) => !applied.includes(id))
})
