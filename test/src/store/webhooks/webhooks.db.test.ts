/** Webhooks and their leases in the store. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { Deliveries } from "../../../../src/store/webhooks/deliveries.ts"
import { Leases } from "../../../../src/store/webhooks/leases.ts"
import { Webhooks } from "../../../../src/store/webhooks/webhooks.ts"
import { databaseKind } from "../../../support/database.ts"
import { given } from "../../../support/given.ts"
import { useStore } from "../../../support/store-services.ts"
import { until } from "../../../support/until.ts"

const now = 1_790_000_000_000

describe("webhooks in the store", () => {
  const { run, account, using } = useStore(Layer.mergeAll(Webhooks.layer, Deliveries.layer, Leases.layer))
  const webhooks = using(Webhooks)
  const leases = using(Leases)
  const draft = (accountId: string) => ({
    id: newId("webhook"),
    accountId,
    url: "https://example.com",
    events: ["agent:status"],
    secret: "sealed"
  })
  const made = async (accountId?: string) => {
    const one = draft(accountId ?? (await account()))
    await webhooks((store) => store.create(one, 10, now))
    return one
  }
  // Leases run on the database's clock, which no test can stop: one that must last is made to.
  const last = (id: string) =>
    run(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`update webhook_leases set until = 9000000000000000 where webhook_id = ${id}`
      )
    )

  given(account)("are made up to the maximum, paused ones counted, however many ask at once", async (accountId) => {
    const all = await Promise.all(
      [...Array(6).keys()].map(() => webhooks((one) => one.create(draft(accountId), 3, now)))
    )
    expect(all.filter((created) => created)).toHaveLength(3)
    const [first] = await webhooks((one) => one.list(accountId))
    await webhooks((one) => one.change(accountId, first!.id, { active: false }, now))
    expect(await webhooks((one) => one.create(draft(accountId), 3, now))).toBe(false)
  })

  given(made)("belong to their account: another's can be neither read nor changed", async ({ id }) => {
    const other = await account()
    expect(await webhooks((one) => one.get(other, id))).toBeUndefined()
    expect(await webhooks((one) => one.change(other, id, { active: false }, now))).toBe(false)
    expect(await webhooks((one) => one.rotate(other, id, "s", 1, now))).toBe(false)
    expect(await webhooks((one) => one.remove(other, id, now))).toBe(false)
  })

  // the embedded database has one connection, so nothing stands in its way
  it.skipIf(databaseKind === "embedded")(
    "are paused although outcomes of theirs are being recorded the other way round",
    async () => {
      const { id, accountId } = await made()
      const sql = using(SqlClient.SqlClient)
      const [first, second] = [newId("delivery"), newId("delivery")]
      for (const [n, one] of [first, second].entries()) {
        const row = { id: one, webhookId: id, event: "e", body: "{}", createdAt: now + n, dedupe: undefined }
        await run(Effect.flatMap(Deliveries, (store) => store.insert([row], 4)))
      }
      const blocked = () =>
        sql(
          (client) =>
            client`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        ).then((rows) => rows.length > 0)
      let pausing: Promise<boolean> | undefined
      const touch = (client: SqlClient.SqlClient, one: string) =>
        client`update deliveries set at = at where id = ${one}`
      const recording = sql((client) =>
        client.withTransaction(
          Effect.gen(function* () {
            yield* touch(client, second)
            pausing = webhooks((one) => one.change(accountId, id, { active: false }, now))
            yield* Effect.promise(() => until("the pause waits", blocked))
            yield* touch(client, first)
          })
        )
      )
      // whichever of the two the database ends, the pause stands
      await recording.catch(() => undefined)
      expect(await pausing).toBe(true)
      expect(await webhooks((one) => one.get(accountId, id))).toMatchObject({ active: false })
      expect(await sql((client) => client`select 1 from deliveries where webhook_id = ${id} and state = 0`)).toEqual([])
    }
  )

  given(made)("are subscriptions while they are active", async ({ id, accountId }) => {
    expect(await webhooks((one) => one.subscriptions(accountId))).toEqual([{ id, events: ["agent:status"] }])
    await webhooks((one) => one.change(accountId, id, { active: false }, now))
    expect(await webhooks((one) => one.subscriptions(accountId))).toEqual([])
  })

  given(made)("are subscriptions with their selector, and none where it cannot be read", async ({ id, accountId }) => {
    const subscriptions = (selector: string | null) =>
      webhooks((one) =>
        Effect.andThen(
          one.change(accountId, id, { selector }, now),
          Effect.suspend(() => one.subscriptions(accountId))
        )
      )
    const selector = [{ key: "env", is: "equal", value: "prod" }]
    expect(await subscriptions("env=prod")).toEqual([{ id, events: ["agent:status"], selector }])
    await webhooks((one) => one.change(accountId, id, { active: true }, now))
    expect(await webhooks((one) => one.get(accountId, id))).toMatchObject({ selector: "env=prod" })
    expect(await subscriptions("of a later version?")).toEqual([])
    expect(await subscriptions(null)).toEqual([{ id, events: ["agent:status"] }])
  })

  given(made)("keep the old secret beside the new one when it is rotated", async ({ id, accountId }) => {
    await webhooks((one) => one.rotate(accountId, id, "new", now + 5, now + 1))
    const row = await webhooks((one) => one.get(accountId, id))
    expect(row).toMatchObject({ secret: "new", oldSecret: "sealed", oldSecretUntil: now + 5, updatedAt: now + 1 })
  })

  it("tell by a version whose changed since", async () => {
    const { version } = await webhooks((one) => one.changedSince(0))
    expect(await webhooks((one) => one.changedSince(version))).toEqual({ version, accountIds: [], disabled: [] })
    const { accountId, id } = await made()
    const later = await webhooks((one) => one.changedSince(version))
    expect(later.version).toBeGreaterThan(version)
    expect(later.accountIds).toEqual([accountId])
    await webhooks((one) => one.remove(accountId, id, now))
    expect((await webhooks((one) => one.changedSince(later.version))).accountIds).toEqual([accountId])
  })

  describe("a lease", () => {
    given(made)("is held by one node, and comes with the webhook", async ({ id }) => {
      const taken = await leases((one) => one.take("a", [id]))
      expect(taken).toMatchObject([{ id, fence: 1, url: "https://example.com", secret: "sealed", failures: 0 }])
      await last(id)
      expect(await leases((one) => one.take("b", [id]))).toEqual([])
    })

    given(made)("is given back, but not under an older number", async ({ id }) => {
      await leases((one) => one.take("a", [id]))
      await leases((one) => one.take("a", [id]))
      await last(id)
      await leases((one) => one.release("a", [{ webhookId: id, fence: 1 }]))
      expect(await leases((one) => one.take("b", [id]))).toEqual([])
      await leases((one) => one.release("a", [{ webhookId: id, fence: 2 }]))
      expect(await leases((one) => one.take("b", [id]))).toMatchObject([{ fence: 3 }])
    })

    given(made)("is not given for a webhook that is paused or gone", async ({ id, accountId }) => {
      await webhooks((one) => one.change(accountId, id, { active: false }, now))
      expect(await leases((one) => one.take("a", [id, newId("webhook")]))).toEqual([])
      expect(await leases((one) => one.profile(id))).toBeUndefined()
    })

    given(made)("of a dead node is reclaimed at once by the only user of an embedded database", async ({ id }) => {
      await leases((one) => one.take("dead", [id]))
      await leases((one) => one.reclaim)
      expect(await leases((one) => one.take("next", [id]))).toHaveLength(1)
    })
  })
})
