/**
 * The store of the clients that are registered with the hub, by an administrator or by themselves. Owns their rows and
 * bounds. A client that is an https address has no row: src/auth/oauth/client-documents.ts reads its document.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { isId } from "../../domain/ids.ts"
import type { Client } from "../../domain/oauth/client.ts"
import {
  addedClientsMax,
  registeredClientsMax,
  registeredClientsPerAddressMax,
  unusedClientMillis,
  usedCodeKeptMillis
} from "../../limits/oauth.ts"
import { prunedRowsMax } from "../../limits/store.ts"
import { attemptRecorded } from "../accounts/recorded-change.ts"
import * as query from "../sql/query.ts"
import { endGrants } from "./grant-changes.ts"

/** A registered client. Times are epoch milliseconds. */
export interface RegisteredClient extends Client {
  /** The hash of its secret; null: it has none. */
  readonly secretHash: string | null
  /** The address that it registered itself from, as limits count addresses; null: an administrator added it. */
  readonly registeredFrom: string | null
  readonly createdAt: number
  /** When it last was shown to a person who may connect it; at first when it was made. */
  readonly usedAt: number
}

/** One row at a time is counted and added: `oauth_clients` is a key that nothing else takes. */
const oneAtATime = "select pg_advisory_xact_lock(hashtext('oauth_clients'))"

const columns = `id, name, redirect_uris as "redirectUris", refreshes, encode(secret_hash, 'hex') as "secretHash",
  registered_from as "registeredFrom", created_at as "createdAt", used_at as "usedAt"`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const add = Effect.fnUntraced(function* (client: Omit<RegisteredClient, "usedAt">) {
    const { id, name, redirectUris, refreshes, secretHash, registeredFrom: from, createdAt } = client
    yield* sql.unsafe(oneAtATime)
    const [held] = yield* sql<{ ofKind: number; fromThere: number }>`
      select count(*) filter (where (registered_from is null) = (${from}::text is null))::integer as "ofKind",
        count(*) filter (where registered_from = ${from})::integer as "fromThere" from oauth_clients`
    const { ofKind, fromThere } = held!
    const max = from === null ? addedClientsMax : registeredClientsMax
    if (ofKind >= max || fromThere >= registeredClientsPerAddressMax) return "full" as const
    yield* sql`insert into oauth_clients (id, name, redirect_uris, refreshes, secret_hash, registered_from, created_at, used_at)
      values (${id}, ${name}, ${redirectUris}::text[], ${refreshes},
        ${secretHash === null ? null : Buffer.from(secretHash, "hex")}, ${from}, ${createdAt}, ${createdAt})`
    return "added" as const
  })

  const remove = Effect.fnUntraced(function* (id: string) {
    const removed = yield* sql`delete from oauth_clients where id = ${id} returning id`
    if (removed.length === 0) return undefined
    yield* sql`delete from oauth_codes where client_id = ${id}`
    return yield* endGrants(sql, "client_id = $1", [id])
  })

  return {
    /** Adds one. "full": there are too many of its kind, or from its address. */
    add: (client: Omit<RegisteredClient, "usedAt">) =>
      attemptRecorded(sql, "add an OAuth client", add(client), (added) =>
        added === "full" ? undefined : { action: "oauth_client.added", object: client.id }
      ),
    byId: (id: string) =>
      isId("oauthClient", id)
        ? query.one(
            "read an OAuth client",
            sql.unsafe<RegisteredClient>(`select ${columns} from oauth_clients where id = $1`, [id])
          )
        : Effect.succeed(undefined),
    /** Those that an administrator added, newest first. */
    added: query.many(
      "list OAuth clients",
      sql.unsafe<RegisteredClient>(
        `select ${columns} from oauth_clients where registered_from is null
         order by created_at desc, id desc limit ${addedClientsMax}`
      )
    ),
    /** Removes one, with its codes, and its grants with their jobs. Undefined: there is none. */
    remove: (id: string) =>
      attemptRecorded(
        sql,
        "remove an OAuth client",
        remove(id),
        (ended) => ended && { action: "oauth_client.removed", object: id, detail: `${ended.length} disconnected` }
      ),
    used: (id: string, now: number) =>
      query.run("note a use of an OAuth client", sql`update oauth_clients set used_at = ${now} where id = ${id}`),
    /** Removes those that registered themselves and have had no grant for long; returns the number of rows. */
    prune: (now: number) =>
      query.affected(
        "remove unused OAuth clients",
        sql`delete from oauth_clients where id in (
          select id from oauth_clients c where c.registered_from is not null
            and c.used_at < ${now - unusedClientMillis - usedCodeKeptMillis}
            and not exists (select from oauth_grants g where g.client_id = c.id)
          order by c.used_at limit ${prunedRowsMax} for update skip locked
        ) returning 1`
      )
  }
})

export class OAuthClients extends Context.Service<OAuthClients, Effect.Success<typeof make>>()("hub/OAuthClients") {
  static readonly layer = Layer.effect(OAuthClients, make)
}
