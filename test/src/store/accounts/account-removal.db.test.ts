/** The removal of an account in the store: in small steps, whatever it has, and nothing of another's. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { removedRowsMax } from "../../../../src/limits/store.ts"
import { belongings, pauseWebhooks, removeSome } from "../../../../src/store/accounts/account-removal.ts"
import { useStore } from "../../../support/store-services.ts"

const count = removedRowsMax + 1
const each = `from generate_series(1, ${count}) n`

/** One row more of each kind than a step takes. */
const texts = (accountId: string) => {
  const id = (prefix: string) => `'${prefix}_${accountId}' || n`
  return [
    `insert into daemons (id, account_id, created_at) select ${id("dmn")}, '${accountId}', 0 ${each}`,
    `insert into daemon_tokens (hash, daemon_id, account_id, name, created_at)
     select sha256((${id("tok")})::bytea), ${id("dmn")}, '${accountId}', '', 0 ${each}`,
    `insert into api_keys (id, account_id, name, prefix, hash, scopes, created_at)
     select ${id("key")}, '${accountId}', '', '', sha256((${id("key")})::bytea), '{}', 0 ${each}`,
    `insert into join_keys (id, account_id, name, prefix, hash, tags, created_at)
     select ${id("jky")}, '${accountId}', '', '', sha256((${id("jky")})::bytea), '{}', 0 ${each}`,
    `insert into sessions (id, account_id, auth_time, created_at, expires_at)
     select ${id("ses")}, '${accountId}', 0, 0, 0 ${each}`,
    `insert into identities (issuer, subject, account_id, created_at) select 'i', ${id("sub")}, '${accountId}', 0 ${each}`,
    `insert into login_codes (hash, account_id, expires_at)
     select sha256((${id("code")})::bytea), '${accountId}', 0 ${each}`,
    `insert into webhooks (id, account_id, url, events, active, secret, created_at, updated_at)
     select ${id("whk")}, '${accountId}', '', '{}', true, '', 0, 0 ${each}`,
    `insert into webhook_health (webhook_id, failures) select ${id("whk")}, 0 ${each}`,
    `insert into webhook_leases (webhook_id, node, fence, until) select ${id("whk")}, '', 0, 0 ${each}`,
    `insert into deliveries (id, webhook_id, event, body, created_at, state, attempts, earlier_attempts, max_attempts, due_at, at)
     select ${id("dlv")}, ${id("whk")}, '', '', 0, n % 2, 0, 0, 4, 0, 0 ${each}`,
    `insert into attempts (delivery_id, attempt, webhook_id, shown_attempt, max_attempts, event, at)
     select ${id("dlv")}, 1, ${id("whk")}, 1, 4, '', 0 ${each}`,
    `insert into idempotency (account_id, route, key, body_hash, state, node, started_at)
     select '${accountId}', 'r', n::text, '', 'done', '', 0 ${each}`,
    `insert into usage (account_id, month, calls) values ('${accountId}', '2020-01', 1)`,
    `insert into usage_blocks (account_id, month, node, size, until) values ('${accountId}', '2020-01', 'n', 1, 0)`,
    `insert into logged_requests (id, account_id, at, request_id, method, operation, route, path, duration_micros, omitted)
     select n::text, '${accountId}', 0, '', '', '', '', '', 0, 0 ${each}`,
    `insert into device_codes (hash, user_code_hash, name, scopes, state, account_id, poll_seconds, created_at, expires_at)
     select sha256((${id("dev")})::bytea), sha256((${id("usr")})::bytea), '', '{}', 'approved', '${accountId}', 5, 0, 0
     from generate_series(1, 10) n`,
    `insert into daemon_presence (daemon_id, account_id, epoch) select ${id("dmn")}, '${accountId}', 1 ${each}`,
    `insert into commands
      (id, account_id, daemon_id, type, state, durable, cancellable, epoch, created_at, deadline_at)
     select ${id("cmd")}, '${accountId}', ${id("dmn")}, '', 'pending', true, true, 1, 0, 0 ${each}`,
    `insert into jobs
      (id, account_id, type, prepared, state, targets, timeout_ms, concurrency, created_at, expires_at)
     select ${id("job")}, '${accountId}', '', true, 'running', 1, 1, 1, 0, 0 ${each}`,
    `insert into job_targets (job_id, daemon_id, command_id, state, due_at)
     select ${id("job")}, ${id("dmn")}, ${id("job")}, 'waiting', 0 ${each}`,
    `insert into daemon_versions (account_id, id, selector, version, max_failures, paused)
     values ('${accountId}', 'all', '', 'hub', 1, false)`,
    `insert into daemon_updates
      (daemon_id, account_id, policy_id, version, sha256, state, asked_at, asked_epoch)
     select ${id("dmn")}, '${accountId}', 'all', '', '', 'done', 0, 0 ${each}`,
    `insert into people (id, email, created_at) select ${id("per")}, ${id("mail")}, 0 ${each}`,
    `insert into memberships (account_id, person_id, role, since) select '${accountId}', ${id("per")}, 'viewer', 0 ${each}`,
    `insert into push_subscriptions (id, account_id, person_id, endpoint_hash, origin, sealed, shows_subject, created_at)
     select ${id("psb")}, '${accountId}', ${id("per")}, n::text, '', '', false, 0 from generate_series(1, 10) n`,
    `insert into invitations (id, account_id, hash, email, email_key, role, invited_by, created_at, expires_at)
     select ${id("inv")}, '${accountId}', sha256((${id("inv")})::bytea), '', '', 'viewer', '', 0, 0 from generate_series(1, 10) n`,
    `insert into service_accounts (id, account_id, name, scopes, created_by, created_at)
     select ${id("sva")}, '${accountId}', '', '{}', '', 0 ${each}`,
    `insert into oauth_codes (hash, account_id, person_id, client_id, client_name, redirect_uri, redirect_host,
       challenge, resource, scopes, offline, created_at, expires_at)
     select sha256((${id("cod")})::bytea), '${accountId}', ${id("per")}, '', '', '', '', '', '', '{}', true, 0, 0
     from generate_series(1, 10) n`,
    `insert into oauth_grants (id, account_id, person_id, client_id, client_name, redirect_host, scopes, offline,
       created_at, expires_at)
     select ${id("gra")}, '${accountId}', ${id("per")}, '', '', '', '{}', true, 0, 0 ${each}`,
    `insert into policies (account_id, id, version, selector, rules, rule_count, default_effect, on_timeout, updated_at)
     values ('${accountId}', 'p', 1, '', '[]', 0, 'ask', 'reject', 0)`,
    `insert into turn_sets (account_id, source, sealed, until) values ('${accountId}', '', '', 0)`,
    `insert into turn_disabled (kind, name, since) values ('account', '${accountId}', 0)`
  ]
}

/** Tables of which rows that name a removed account stay: the audit log, and that by which nodes notice a change. */
const staying = new Set(["audit_events", "webhook_changes"])

describe("an account that is removed", () => {
  const store = useStore(Layer.empty)
  const ask = (text: string) => store.run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(text).unprepared))
  const filled = async (): Promise<string> => {
    const accountId = await store.account()
    for (const text of texts(accountId)) await ask(text)
    return accountId
  }
  /** Every table; `owned`: those whose rows say of which account they are. */
  const tables = async (owned = false): Promise<ReadonlyArray<string>> => {
    const rows = await ask(
      `select t.table_name as name from information_schema.tables t
       where t.table_schema = current_schema() and t.table_type = 'BASE TABLE' and (${!owned} or exists (
         select from information_schema.columns c where c.table_schema = t.table_schema
           and c.table_name = t.table_name and c.column_name = 'account_id'))
       order by 1`
    )
    return (rows as ReadonlyArray<{ name: string }>).map(({ name }) => name).filter((name) => !staying.has(name))
  }
  const rowsOf = async (accountId: string): Promise<Record<string, number>> => {
    const found: Record<string, number> = {}
    for (const table of await tables()) {
      const [row] = await ask(
        `select count(*) as count from ${table} t where row_to_json(t)::text like '%${accountId}%'`
      )
      found[table] = (row as { count: number }).count
    }
    return found
  }

  /** The rows of all tables. */
  const total = async (): Promise<number> => {
    const counts = (await tables()).map((table) => `(select count(*) from ${table})`)
    const [row] = await ask(`select ${counts.join(" + ")} as count`)
    return (row as { count: number }).count
  }

  it("goes in steps of a bounded number of rows, whatever it has, and nothing is left of it, all of another's", async () => {
    const [gone, stays] = [await filled(), await filled()]
    const before = await rowsOf(stays)
    expect((await tables(true)).filter((table) => before[table] === 0)).toEqual([])
    expect(await store.run(belongings(gone))).toEqual({ daemons: count, keys: count, webhooks: count })
    await store.run(pauseWebhooks(gone))
    for (let rows = await total(), done = false; !done; ) {
      done = await store.run(removeSome(gone))
      const now = await total()
      // with a webhook its health and lease go, with a daemon its token, with the account its identities and codes
      if (!done) expect(rows - now).toBeLessThanOrEqual(3 * count)
      if (!done) expect(now).toBeLessThan(rows)
      rows = now
    }
    expect(Object.entries(await rowsOf(gone)).filter(([, rows]) => rows > 0)).toEqual([])
    expect(await rowsOf(stays)).toEqual(before)
  })

  it("is gone already when it is asked for once more", async () => {
    const accountId = await store.account()
    expect(await store.run(removeSome(accountId))).toBe(false)
    expect(await store.run(removeSome(accountId))).toBe(true)
  })
})
