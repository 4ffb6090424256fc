/**
 * The store of outcomes under idempotency keys. Owns their rows and that only one caller begins.
 * http/pipeline/idempotency.ts owns what is kept of an outcome and when a run counts as dead.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { StoreFailed } from "../../errors.ts"
import { idempotencyRereadsMax } from "../../limits.ts"
import { prune } from "../sql/pruning.ts"
import * as query from "../sql/query.ts"

/** The key of an outcome. */
export interface IdempotencyKey {
  readonly accountId: string
  readonly route: string
  readonly key: string
}

/** A call that wants to begin. Times are epoch milliseconds. */
export interface Beginning extends IdempotencyKey {
  readonly bodyHash: Uint8Array
  readonly node: string
  readonly now: number
  /** Whatever began before this time is ignored. */
  readonly forgottenBefore: number
}

/** A stored outcome; `body` undefined: its status only. */
export interface StoredRow {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string | undefined
  /** The body was dropped, since the account stores too much: a repeat learns only that the call ran. */
  readonly bodyDropped?: boolean
}

/** What a call that wants to begin finds: nothing (it has begun), a running call, or an outcome. */
export type KeyState =
  | { readonly state: "begun" }
  | { readonly state: "running"; readonly bodyHash: Uint8Array; readonly startedAt: number }
  | ({ readonly state: "done"; readonly bodyHash: Uint8Array } & StoredRow)

/** The store of outcomes. */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    readonly begin: (beginning: Beginning) => Effect.Effect<KeyState, StoreFailed>
    /** What a call would find, without beginning. Undefined: nothing, or only what has expired. */
    readonly find: (
      place: Pick<Beginning, keyof IdempotencyKey | "forgottenBefore">
    ) => Effect.Effect<Exclude<KeyState, { readonly state: "begun" }> | undefined, StoreFailed>
    /** Stores an outcome. Does nothing when this node's run is no longer the one on record. */
    readonly finish: (
      outcome: IdempotencyKey & StoredRow & { readonly node: string; readonly now: number }
    ) => Effect.Effect<void, StoreFailed>
    /** Deletes this node's run, which never reached its action. */
    readonly forget: (place: IdempotencyKey & { readonly node: string }) => Effect.Effect<void, StoreFailed>
    /** Deletes what began before; returns the number of rows. */
    readonly prune: (before: number) => Effect.Effect<number, StoreFailed>
  }
>()("hub/Idempotency") {
  static readonly layer = Layer.effect(Idempotency)(Effect.suspend(() => make))
}

interface Row {
  readonly state: "running" | "done"
  readonly bodyHash: Buffer
  readonly startedAt: number
  readonly status: number
  readonly headers: StoredRow["headers"]
  readonly body: string | null
  readonly bodyDropped: boolean
}

const foundOf = (row: Row) => {
  const { state, bodyHash, startedAt, status, headers, body, bodyDropped } = row
  return state === "running"
    ? { state, bodyHash, startedAt }
    : { state, bodyHash, status, headers, body: body ?? undefined, ...(bodyDropped && { bodyDropped }) }
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const insert = ({ accountId, route, key, bodyHash, node, now, forgottenBefore }: Beginning) =>
    sql`insert into idempotency as i (account_id, route, key, body_hash, state, node, started_at)
      values (${accountId}, ${route}, ${key}, ${bodyHash}, 'running', ${node}, ${now})
      on conflict (account_id, route, key) do update set
        body_hash = excluded.body_hash, state = 'running', node = excluded.node, started_at = excluded.started_at,
        status = null, headers = null, body = null, finished_at = null, body_dropped = false
      where i.started_at < ${forgottenBefore}
      returning 1 as one`

  const read = ({ accountId, route, key }: IdempotencyKey) =>
    sql<Row>`select state, body_hash as "bodyHash", started_at as "startedAt", status, headers, body,
        body_dropped as "bodyDropped" from idempotency
      where account_id = ${accountId} and route = ${route} and key = ${key}`

  const begin = Effect.fnUntraced(function* (beginning: Beginning) {
    // The row may be pruned or deleted between the two statements: then this caller may begin after all.
    for (let look = 0; look < idempotencyRereadsMax; look++) {
      const begun = yield* insert(beginning)
      if (begun.length > 0) return { state: "begun" } as const
      const [row] = yield* read(beginning)
      if (row !== undefined) return foundOf(row)
    }
    return yield* new StoreFailed({ operation: "begin a keyed call", cause: new Error("the row keeps vanishing") })
  })

  return Idempotency.of({
    begin: (beginning) => query.attempt("begin a keyed call", begin(beginning)),
    find: (place) =>
      Effect.map(query.attempt("look for a keyed call", read(place)), ([row]) =>
        row === undefined || row.startedAt < place.forgottenBefore ? undefined : foundOf(row)
      ),
    finish: ({ accountId, route, key, node, status, headers, body, bodyDropped = false, now }) =>
      query.run(
        "keep an outcome",
        sql`update idempotency set state = 'done', status = ${status},
            headers = ${JSON.stringify(headers)}::json, body = ${body ?? null}, finished_at = ${now},
            body_dropped = ${bodyDropped}
          where account_id = ${accountId} and route = ${route} and key = ${key} and node = ${node}
            and state = 'running'`
      ),
    forget: ({ accountId, route, key, node }) =>
      query.run(
        "forget a keyed call",
        sql`delete from idempotency where account_id = ${accountId} and route = ${route}
          and key = ${key} and node = ${node} and state = 'running'`
      ),
    prune: (before) =>
      prune(sql, "remove old outcomes", {
        table: "idempotency",
        key: "account_id, route, key",
        by: "started_at",
        before
      })
  })
})
