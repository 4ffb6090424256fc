/** The audit log in a real database: a change and its event are one transaction; removal, and the sink. */
import { Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import type { AuditEvent, AuditOrigin } from "../../../../src/domain/account/audit-event.ts"
import { newId } from "../../../../src/domain/ids.ts"
import { auditExportRowsMax, auditLookedMax, auditRowsMax } from "../../../../src/limits/audit.ts"
import { removeSome } from "../../../../src/store/accounts/account-removal.ts"
import { Keys } from "../../../../src/store/accounts/api-keys.ts"
import { type AuditAsked, AuditEvents } from "../../../../src/store/accounts/audit-events.ts"
import { AuditedBy, recordChange } from "../../../../src/store/accounts/recorded-change.ts"
import { given } from "../../../support/given.ts"
import { useStore } from "../../../support/store-services.ts"

describe("the audit log in the store", () => {
  const store = useStore(Layer.mergeAll(AuditEvents.layer, Keys.layer))
  const log = store.using(AuditEvents)
  const event = (accountId: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
    id: newId("auditEvent"),
    accountId,
    at: 100,
    actor: { kind: "anonymous", id: undefined },
    action: "session.started",
    object: undefined,
    detail: undefined,
    outcome: "refused",
    reason: undefined,
    address: undefined,
    node: undefined,
    requestId: undefined,
    count: 1,
    ...more
  })
  const all = {
    action: undefined,
    actor: undefined,
    object: undefined,
    outcome: undefined,
    since: 0,
    until: undefined,
    after: undefined,
    limit: 5_000
  }
  const page = (accountId: string | undefined, asked: Partial<AuditAsked> = {}) =>
    log((port) => port.list({ ...all, accountId, ...asked }))
  const list = async (accountId: string | undefined) => (await page(accountId)).events
  const origin: AuditOrigin = {
    actor: { kind: "session", id: "ses_00000000000000000000" },
    accountId: undefined,
    address: "192.0.2.1",
    node: "node_1",
    requestId: "req_1"
  }
  const draft = (accountId: string) => {
    const id = newId("key")
    const hash = Buffer.from(id.padEnd(32)).toString("hex")
    const scopes = ["ide:read"] as const
    return { id, accountId, name: "canary", prefix: "hub_", hash, scopes, createdAt: 1, expiresAt: null }
  }
  const insert = (given: ReturnType<typeof draft>) => Effect.flatMap(Keys, (keys) => keys.insert(given))

  given(store.account)("has a change that was made with an origin, and none without one", async (accountId) => {
    await store.run(insert(draft(accountId)))
    expect(await list(accountId)).toEqual([])
    const given = draft(accountId)
    await store.run(Effect.provideService(insert(given), AuditedBy, origin))
    const { actor, address, node, requestId } = origin
    expect(await list(accountId)).toEqual([
      event(accountId, {
        ...{ actor, address, node, requestId },
        id: expect.any(String) as unknown as string,
        at: expect.any(Number) as unknown as number,
        action: "key.created",
        object: given.id,
        detail: "ide:read",
        outcome: "done"
      })
    ])
  })

  it("has no event of a change that failed, and no change whose event cannot be written", async () => {
    const accountId = await store.account()
    const given = draft(accountId)
    await store.run(Effect.provideService(insert(given), AuditedBy, origin))
    const again = Effect.exit(Effect.provideService(insert(given), AuditedBy, origin))
    expect((await store.run(again))._tag).toBe("Failure")
    expect(await list(accountId)).toHaveLength(1)
    const broken = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rename = sql`update accounts set email = 'changed@example.com' where id = ${accountId} returning id`
      // the column refuses it, as a crash between both would leave it out
      return yield* recordChange(sql, rename, () => ({ action: null as unknown as "key.created", accountId }))
    })
    expect((await store.run(Effect.exit(Effect.provideService(broken, AuditedBy, origin))))._tag).toBe("Failure")
    const [row] = await store.run(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ email: string }>`select email from accounts where id = ${accountId}`
      )
    )
    expect(row!.email).not.toBe("changed@example.com")
  })

  given(store.account)("has neither of a change that is interrupted between both", async (accountId) => {
    const given = draft(accountId)
    const cut = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const inserted = Effect.andThen(insert(given), Effect.interrupt)
      return yield* recordChange(sql, inserted, () => ({ action: "key.created", accountId }))
    })
    await store.run(Effect.exit(Effect.provideService(cut, AuditedBy, origin)))
    expect(await list(accountId)).toEqual([])
    const keys = await store.run(Effect.flatMap(Keys, (port) => port.listByAccount(accountId, 10)))
    expect(keys).toEqual([])
  })

  it.each([true, false])("is logged with the transaction of its caller, if that is committed: %s", async (commits) => {
    const given = draft(await store.account())
    const logged: Array<unknown> = []
    const logger = Logger.layer([Logger.make(({ message }) => void logged.push(message))])
    const whole = Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* insert(given)
          expect(logged).toEqual([])
          if (!commits) yield* Effect.fail("no")
        })
      )
    )
    await store.run(Effect.exit(Effect.provideService(whole, AuditedBy, origin).pipe(Effect.provide(logger))))
    const line = ["audited", expect.objectContaining({ action: "key.created", object: given.id })]
    expect(logged).toEqual(commits ? [line] : [])
  })

  it("keeps accounts apart, and the events of one that is removed", async () => {
    const [one, other] = [await store.account(), await store.account()]
    await log((port) => port.write([event(one), event(other, { at: 101 })]))
    expect((await list(one)).map(({ accountId }) => accountId)).toEqual([one])
    const everywhere = await list(undefined)
    expect(everywhere.map(({ accountId }) => accountId)).toEqual(expect.arrayContaining([one, other]))
    await store.run(Effect.repeat(removeSome(one), { until: (done) => done }))
    expect(await list(one)).toHaveLength(1)
  })

  given(store.account)("counts an event further under its id, however many are written at once", async (accountId) => {
    const events = Array.from({ length: auditRowsMax + 1 }, (_, at) => event(accountId, { at }))
    await log((port) => port.write(events))
    await log((port) => port.write([{ ...events[0]!, count: 7 }]))
    const found = await list(accountId)
    expect(found).toHaveLength(auditRowsMax + 1)
    expect(found.at(-1)).toEqual({ ...events[0]!, count: 7 })
  })

  it("looks at a bounded number of events for a page, and says how far where a filter lets few of them pass", async () => {
    const accountId = await store.account()
    await store.run(
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql.unsafe(
          `insert into audit_events (id, account_id, at, actor_kind, action, outcome, count)
           select 'aud_' || lpad(n::text, 20, '0'), $1, n, 'key', 'command.sent', 'done', 1 from generate_series(1, $2::int) n`,
          [accountId, auditLookedMax + 1]
        )
      )
    )
    const oldest = event(accountId, { at: 0, action: "key.created" })
    await log((port) => port.write([oldest]))
    const asked = { action: "key.created", limit: 10 }
    const first = await page(accountId, asked)
    expect(first).toMatchObject({ events: [], lookedTo: { at: 2 } })
    expect(await page(accountId, { ...asked, after: first.lookedTo })).toEqual({
      events: [oldest],
      lookedTo: undefined
    })
    expect((await page(accountId, { limit: 10 })).lookedTo).toBeUndefined()
  })

  it("hands the sink each event until it is noted, again when it was counted further, to one node at a time", async () => {
    const accountId = await store.account()
    const events = Array.from({ length: auditExportRowsMax + 1 }, () => event(accountId, { at: -5 }))
    await log((port) => port.write(events))
    const first = await log((port) => port.unexported)
    expect(first).toHaveLength(auditExportRowsMax)
    await log((port) => port.write([{ ...first[0]!, count: 2 }]))
    await log((port) => port.exported(first))
    const left = (await log((port) => port.unexported)).filter(({ accountId: of }) => of === accountId)
    expect(left).toHaveLength(2)
    expect(left.map(({ count }) => count).sort()).toEqual([1, 2])

    const claim = (node: string, now: number) => log((port) => port.claimSink(node, now, now + 10))
    expect([await claim("one", 0), await claim("two", 5), await claim("one", 9)]).toEqual([true, false, true])
    expect([await claim("two", 20), await claim("one", 25)]).toEqual([true, false])
    await log((port) => port.releaseSink("two"))
    expect(await claim("one", 26)).toBe(true)
  })
})
