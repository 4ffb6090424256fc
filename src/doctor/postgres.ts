/** Whether a Postgres suits the hub. Owns the judgement of what it says of itself; asks nothing (postgres-facts.ts). */

import { deadRowsMany, deadRowsShareHigh, freeConnectionsBeside, transactionMillisLong } from "../limits/doctor.ts"
import { baseRevision, standingOf } from "../store/migrations/index.ts"
import { judgeClock } from "./clock.ts"
import { error, type Finding, grouped, ok, warning } from "./finding.ts"
import type { PostgresFacts } from "./postgres-facts.ts"

/** The versions that the tests run on begin here; older ones lack what the statements need. */
const versionTested = 15
const versionNeeded = 13

const judgeVersion = ({ version }: PostgresFacts): Finding => {
  const check = "postgres version"
  const major = Math.floor(version / 10_000)
  const found = `Postgres ${major}.${version % 10_000}`
  if (major < versionNeeded) return error(check, found, `move to Postgres ${versionTested} or later`)
  if (major < versionTested)
    return warning(check, `${found}, which the hub is not tested on`, `move to ${versionTested} or later`)
  return ok(check, found)
}

const judgeWrites = ({ inRecovery, settings }: PostgresFacts): Finding => {
  const check = "postgres writes"
  if (inRecovery) return error(check, "it is a standby, which takes no writes", "name the primary in DATABASE_URL")
  if (settings["default_transaction_read_only"] === "on")
    return error(
      check,
      "default_transaction_read_only is on: it takes no writes",
      "alter database … reset default_transaction_read_only, or of the role"
    )
  return ok(check, "it takes writes")
}

const judgeSettings = ({ settings }: PostgresFacts): Finding => {
  const check = "postgres settings"
  const { server_encoding: encoding = "" } = settings
  const unsafe = ["fsync", "full_page_writes"].filter((name) => settings[name] === "off")
  if (encoding !== "UTF8")
    return error(
      check,
      `server_encoding is ${encoding}: names in other scripts are refused`,
      "make the database with encoding UTF8"
    )
  if (unsafe.length > 0)
    return error(
      check,
      `${unsafe.join(" and ")} off: a crash of its host may damage everything`,
      `set ${unsafe.join(" and ")} to on`
    )
  if (settings["autovacuum"] === "off")
    return error(check, "autovacuum is off: the hub's tables grow without end", "set autovacuum to on")
  if (settings["synchronous_commit"] === "off")
    return warning(
      check,
      "synchronous_commit is off: a crash of its host loses what the hub has already acknowledged",
      "set synchronous_commit to on"
    )
  return ok(check, "fsync, full_page_writes, synchronous_commit and autovacuum are on, the encoding is UTF8")
}

const judgeConnections = (facts: PostgresFacts, pool: number): Finding => {
  const check = "postgres connections"
  const max = Number(facts.settings["max_connections"]) - Number(facts.settings["superuser_reserved_connections"])
  const free = max - facts.connections
  const found = `${facts.connections} of ${max} are used, ${facts.hubConnections} of them by hubs here`
  // A hub that runs has, or opens, as many as its pool; without one a first needs them.
  const wanted = facts.hubConnections > 0 ? freeConnectionsBeside : pool + freeConnectionsBeside
  if (free < freeConnectionsBeside)
    return error(check, found, "raise max_connections, lower HUB_DATABASE_CONNECTIONS, or put fewer programs on it")
  if (free >= wanted) return ok(check, found)
  return warning(
    check,
    `${found}: a node wants ${pool} (HUB_DATABASE_CONNECTIONS) and ${freeConnectionsBeside} beside`,
    "raise max_connections or lower HUB_DATABASE_CONNECTIONS"
  )
}

const judgeBloat = ({ deadRows }: PostgresFacts): Finding => {
  const check = "postgres bloat"
  const bloated = deadRows.filter(({ live, dead }) => dead >= deadRowsMany && dead > (live + dead) * deadRowsShareHigh)
  if (bloated.length === 0) return ok(check, "vacuum follows")
  const found = bloated.map(({ name, live, dead }) => `${name} (${grouped(dead)} dead rows beside ${grouped(live)})`)
  return warning(
    check,
    `vacuum does not follow on ${found.join(", ")}`,
    `vacuum (analyze) ${bloated.map(({ name }) => name).join(", ")}; and look for long transactions and autovacuum_vacuum_cost_limit`
  )
}

const judgeTransactions = ({ oldestTransactionMillis }: PostgresFacts): Finding => {
  const check = "postgres transactions"
  const minutes = Math.round(oldestTransactionMillis / 60_000)
  if (oldestTransactionMillis < transactionMillisLong) return ok(check, "none is open for long")
  return warning(
    check,
    `one is open for ${grouped(minutes)} minutes, and keeps vacuum from its work`,
    "find it in pg_stat_activity (xact_start) and end it: select pg_terminate_backend(pid)"
  )
}

/** `known`: the migrations of this version. */
const judgeSchema = ({ migrations }: PostgresFacts, known: ReadonlyArray<number>): Finding => {
  const check = "postgres schema"
  const { older, newer, missing } = standingOf(migrations, known)
  if (newer !== undefined)
    return error(
      check,
      `a newer version of the hub has changed it (migration ${newer})`,
      "start that version, or a later one"
    )
  if (older)
    return error(
      check,
      `this version does not carry it over (migration ${migrations.at(-1)})`,
      `start revision ${baseRevision} of the hub on it once, then this version`
    )
  if (migrations.length === 0) return ok(check, "empty; the first start makes it")
  if (missing.length === 0) return ok(check, `at migration ${migrations.at(-1)}, that of this version`)
  return warning(check, `${missing.length} migrations behind this version`, "hub migrate, or start this version")
}

const judgeKey = ({ keyIds }: PostgresFacts, given: ReadonlyArray<string>): Finding => {
  const check = "secret key of postgres"
  const lacked = keyIds.filter((one) => !given.includes(one))
  if (lacked.length > 0)
    return error(
      check,
      `its secrets are sealed under key ${lacked.join(" and ")}, HUB_SECRET_KEY is ${given.join(", ") || "not given"}: no hub starts`,
      "give this hub the key that the others have, or that it had before"
    )
  if (keyIds.length > 1 || (keyIds.length > 0 && keyIds[0] !== given[0]))
    return warning(
      check,
      `a rotation to another key is under way (${[...new Set([...keyIds, ...given])].join(", ")})`,
      "hub secret rotate, once every hub was started with the new key first"
    )
  if (given.length > 1)
    return ok(check, `its secrets are sealed under ${given[0]}; the older keys of HUB_SECRET_KEY may be dropped`)
  return ok(
    check,
    keyIds.length === 0 ? "nothing is sealed yet" : `its secrets are sealed under HUB_SECRET_KEY (${keyIds[0]})`
  )
}

const judgeOwners = ({ singleOwners }: PostgresFacts): Finding =>
  singleOwners === 0
    ? ok("owners", "no account of several people depends on one owner")
    : warning(
        "owners",
        `${grouped(singleOwners)} accounts of several people have one owner`,
        "have each make another member an owner: who owns an account alone cannot leave it, and may lose access"
      )

/** What is expected of it. */
export interface PostgresWanted {
  /** `HUB_DATABASE_CONNECTIONS`. */
  readonly pool: number
  readonly migrations: ReadonlyArray<number>
  /** The fingerprints of `HUB_SECRET_KEY`. */
  readonly keyIds: ReadonlyArray<string>
}

/** Everything there is to say of it. */
export const judgePostgres = (facts: PostgresFacts, wanted: PostgresWanted): ReadonlyArray<Finding> => [
  judgeVersion(facts),
  judgeWrites(facts),
  judgeSettings(facts),
  judgeConnections(facts, wanted.pool),
  judgeBloat(facts),
  judgeTransactions(facts),
  judgeSchema(facts, wanted.migrations),
  judgeKey(facts, wanted.keyIds),
  judgeOwners(facts),
  judgeClock("Postgres", facts.clock)
]
