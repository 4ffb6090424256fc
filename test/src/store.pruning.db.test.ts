/**
 * How many rows one pruning removes, that a long list is read to its end, and how much of a package's versions is
 * listed.
 */
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { packageVersionsBytesMax, packageVersionsListedMax, prunedRowsMax } from "../../src/limits.ts"
import { AuditEvents } from "../../src/store/accounts/audit-events.ts"
import { Idempotency } from "../../src/store/accounts/idempotency.ts"
import { LoggedRequests } from "../../src/store/accounts/logged-requests.ts"
import { LoginCodes } from "../../src/store/accounts/login-codes.ts"
import { Sessions } from "../../src/store/accounts/sessions.ts"
import { Usage } from "../../src/store/accounts/usage.ts"
import { Packages } from "../../src/store/registry/packages.ts"
import { useStore } from "../support/store-services.ts"

const ports = Layer.mergeAll(
  Layer.mergeAll(AuditEvents.layer, LoggedRequests.layer, Packages.layer),
  Layer.mergeAll(Idempotency.layer, LoginCodes.layer, Sessions.layer, Usage.layer)
)

describe("a bound of the store", () => {
  const store = useStore(ports)
  const make = (text: string, ...values: ReadonlyArray<unknown>) => store.sql(text, values)

  it.each<[string, string, Effect.Effect<number, unknown, Layer.Success<typeof ports>>]>([
    [
      "expired sessions",
      `insert into sessions (id, account_id, auth_time, created_at, expires_at)
       select 'ses_' || $1 || n, $1, 0, 0, n`,
      Effect.flatMap(Sessions, ({ prune }) => prune(prunedRowsMax + 1))
    ],
    [
      "one-time codes",
      "insert into login_codes (hash, account_id, auth_time, expires_at) select sha256(($1 || n)::bytea), $1, 0, n",
      Effect.flatMap(LoginCodes, ({ prune }) => prune(prunedRowsMax + 1))
    ],
    [
      "old outcomes",
      `insert into idempotency (account_id, route, key, body_hash, state, node, started_at)
       select $1, 'POST /', 'k' || n, '', 'running', 'n', n`,
      Effect.flatMap(Idempotency, ({ prune }) => prune(prunedRowsMax + 1))
    ],
    [
      "old requests",
      `insert into logged_requests
        (id, account_id, at, request_id, method, operation, route, path, duration_micros, omitted)
       select 'lrq_' || lpad(n::text, 20, '0'), $1, n, '', 'GET', '', '', '', 1, 0`,
      Effect.flatMap(LoggedRequests, ({ prune }) => prune(prunedRowsMax + 1))
    ],
    [
      "old events of the audit log",
      `insert into audit_events (id, account_id, at, actor_kind, action, outcome, count, exported)
       select $1 || n, $1, n, 'key', 'key.created', 'done', 1, true`,
      Effect.flatMap(AuditEvents, ({ prune }) => prune(prunedRowsMax + 1))
    ]
  ])(
    `removes ${prunedRowsMax} rows in a statement, none younger, and the rest in the next: %s`,
    async (_, text, prune) => {
      await make(`${text} from generate_series(0, $2::int) n`, await store.account(), prunedRowsMax + 1)
      expect([await store.run(prune), await store.run(prune), await store.run(prune)]).toEqual([prunedRowsMax, 1, 0])
    }
  )

  it(`takes back the blocks of ${prunedRowsMax} that nodes did not renew, and the rest with the next`, async () => {
    for (const table of ["usage_blocks", "usage"]) await make(`delete from ${table} where month = '2020-01'`)
    await make(
      `with blocks as (
         insert into usage_blocks (account_id, month, node, size, until)
         select 'acc' || n, '2020-01', 'n', 1, n from generate_series(0, $1::int) n returning account_id, month, size
       )
       insert into usage (account_id, month, calls, held, granted) select account_id, month, 0, size, size from blocks`,
      prunedRowsMax
    )
    const expire = Effect.flatMap(Usage, (usage) => usage.expire)
    expect([await store.run(expire), await store.run(expire)]).toEqual([prunedRowsMax, 1])
  })

  describe("lists of a package", () => {
    const digest = "sha256('bound'::bytea)"
    let types = 0
    const read = (type: string) => store.run(Effect.flatMap(Packages, (packages) => packages.versions(type, "preview")))
    const publish = async (count: number, manifestChars: number) => {
      const type = `type-${++types}`
      await make(
        `insert into artifacts (digest, bytes, created_at) values (${digest}, 'bound', 0) on conflict do nothing`
      )
      await make(
        `insert into packages (type, version, precedence, manifest, digest, size, published_at, published_by)
         select $1, '1.0.' || n, lpad(n::text, 9, '0'), to_json(repeat('m', $3::int)), ${digest}, 5, 0, 'acc'
         from generate_series(1, $2::int) n`,
        type,
        count,
        manifestChars
      )
      return read(type)
    }

    it(`the newest ${packageVersionsListedMax} versions, and which is the latest among all`, async () => {
      const { versions } = await publish(packageVersionsListedMax + 1, 1)
      expect([versions.length, versions.at(-1)?.version]).toEqual([packageVersionsListedMax, "1.0.2"])
      const type = `type-${types}`
      // a release, and as many pre-releases of the next one as are listed
      await make("update packages set version = version || '-rc' where type = $1 and version <> '1.0.1'", type)
      const again = await read(type)
      expect([again.versions.length, again.latest]).toEqual([packageVersionsListedMax, "1.0.1"])
      await make("update packages set preview_yanked_at = 0 where type = $1", type)
      expect((await read(type)).latest).toBeNull()
    })

    it(`the newest versions whose manifests have ${packageVersionsBytesMax} bytes together`, async () => {
      const quotes = 2
      const exact = await publish(4, packageVersionsBytesMax / 4 - quotes)
      expect(exact.versions).toHaveLength(4)
      const over = await publish(4, packageVersionsBytesMax / 4 - quotes + 1)
      expect(over.versions.map(({ version }) => version)).toEqual(["1.0.4", "1.0.3", "1.0.2"])
    })
  })
})
