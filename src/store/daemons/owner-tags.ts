/** Writes the tags that an owner gives a daemon. Owns their version, which grows with each write. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { OwnerTags, Tags } from "../../domain/daemon/tags.ts"
import { isId } from "../../domain/ids.ts"
import { attemptRecorded } from "../accounts/recorded-change.ts"

/** Replaces the owner's tags of a daemon. Undefined: not a daemon of this account. */
export const replaceOwnerTags = (sql: SqlClient.SqlClient) => (accountId: string, daemonId: string, tags: Tags) =>
  isId("daemon", daemonId)
    ? Effect.map(
        attemptRecorded(
          sql,
          "tag a daemon",
          sql<{ version: number }>`
              update daemons
              set owner_tags = ${JSON.stringify(tags)}::jsonb, owner_tags_version = owner_tags_version + 1
              where id = ${daemonId} and account_id = ${accountId} returning owner_tags_version as version`,
          ({ length }) => (length === 0 ? undefined : { action: "daemon.tagged", accountId, object: daemonId })
        ),
        ([row]): OwnerTags | undefined => row && { tags, version: row.version }
      )
    : Effect.succeed(undefined)
