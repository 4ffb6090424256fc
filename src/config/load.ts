/**
 * From an environment to settings. Owns the checks: every fault is reported at once, an unknown `HUB_…` name among
 * them. Reads what it is given, never the process's own environment, and touches no file.
 */
import { Data, Result } from "effect"
import { redactText } from "../domain/redaction/redaction.ts"
import { distance } from "../domain/text/edit-distance.ts"
import type { Setting } from "./kinds.ts"
import { type Settings, settings } from "./table.ts"

/** An environment as Node gives it. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The settings do not fit: one sentence per fault. */
export class SettingsInvalid extends Data.TaggedError("SettingsInvalid")<{ readonly problems: ReadonlyArray<string> }> {
  override get message(): string {
    return this.problems.join("\n")
  }
}

/** Variables the test runner sets for the tests themselves: no setting, and no mistake. */
const testPrefix = "HUB_TEST_"

/** What commands that only talk to a hub read, `hub daemon` among them; often exported for a whole shell. */
const clientNames = ["HUB_URL", "HUB_KEY", "HUB_TOKEN", "HUB_JOIN_KEY"]

const rows = Object.entries(settings) as ReadonlyArray<[keyof Settings, Setting]>
const known = rows.map(([, row]) => row.env)
const expected = [...known, ...clientNames]

/** The one of which a part was given, else the one that differs least. */
const nearest = (name: string): string =>
  known.find((one) => one.startsWith(`${name}_`)) ??
  known.reduce((best, one) => (distance(name, one) < distance(name, best) ? one : best), known[0]!)

const unknownNames = (env: Environment): ReadonlyArray<string> =>
  Object.keys(env)
    .filter((name) => name.startsWith("HUB_") && !name.startsWith(testPrefix) && !expected.includes(name))
    .map((name) => `${name} is not a setting; the nearest is ${nearest(name)}`)

const readRow = (row: Setting, env: Environment, problems: Array<string>): unknown => {
  const given = env[row.env]?.trim()
  // An empty variable is how compose files and shells write "not set".
  const text = given === undefined || given === "" ? row.standard : given
  if (text === undefined) return undefined
  const value = row.kind.read(text)
  if (Result.isSuccess(value)) return value.success
  problems.push(
    row.secret === true ? `${row.env} ${value.failure}` : `${row.env} is "${redactText(text)}" but ${value.failure}`
  )
  return undefined
}

const bothOrNeither = (read: Settings, one: keyof Settings, other: keyof Settings): ReadonlyArray<string> => {
  if ((read[one] === undefined) === (read[other] === undefined)) return []
  const [has, lacks] = read[one] === undefined ? [other, one] : [one, other]
  return [`${settings[has].env} needs ${settings[lacks].env} beside it`]
}

const needed = (read: Settings, one: keyof Settings, other: keyof Settings): ReadonlyArray<string> =>
  read[one] === undefined || read[other] !== undefined
    ? []
    : [`${settings[one].env} needs ${settings[other].env} beside it`]

const relations = (read: Settings): ReadonlyArray<string> => [
  ...bothOrNeither(read, "tlsCert", "tlsKey"),
  ...bothOrNeither(read, "oidcIssuer", "oidcClientId"),
  ...needed(read, "oidcAccount", "oidcIssuer"),
  ...needed(read, "oidcRoleClaim", "oidcAccount"),
  ...(read.oidcRoles.length > 0 ? needed(read, "oidcRoles", "oidcRoleClaim") : []),
  ...bothOrNeither(read, "turnCloudflareKeyId", "turnCloudflareToken"),
  ...(read.auditSink?.includes("://") === true && read.auditSinkSecret === undefined
    ? ["HUB_AUDIT_SINK needs HUB_AUDIT_SINK_SECRET beside it: what a collector is sent is signed"]
    : []),
  ...(read.turnUrls.length > 0 && read.turnSecret === undefined
    ? ["HUB_TURN_URLS needs HUB_TURN_SECRET beside it"]
    : []),
  ...(read.redisUrl !== undefined && read.databaseUrl === undefined
    ? ["REDIS_URL needs DATABASE_URL beside it: nodes that are one hub share one database"]
    : []),
  ...(read.jwksUrl !== undefined && (read.jwksIssuer === undefined || read.jwksAudience === undefined)
    ? ["HUB_JWKS_URL needs HUB_JWKS_ISSUER and HUB_JWKS_AUDIENCE beside it: keys alone do not say whom a token is for"]
    : [])
]

/** All settings from an environment, or everything that is wrong with it. */
export const loadSettings = (env: Environment): Result.Result<Settings, SettingsInvalid> => {
  const problems: Array<string> = [...unknownNames(env)]
  const read = Object.fromEntries(rows.map(([name, row]) => [name, readRow(row, env, problems)])) as unknown as Settings
  if (problems.length === 0) problems.push(...relations(read))
  const hasKey = (env[settings.secretKey.env] ?? "").trim() !== ""
  if ((env[settings.databaseUrl.env] ?? "").trim() !== "" && !hasKey) {
    problems.push("HUB_SECRET_KEY must be given with DATABASE_URL; make one with: openssl rand -base64 32")
  }
  return problems.length === 0 ? Result.succeed(read) : Result.fail(new SettingsInvalid({ problems }))
}

/** What an empty environment gives. */
export const defaultSettings: Settings = Result.getOrThrow(loadSettings({}))
