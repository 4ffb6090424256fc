/** How much the store keeps for an account, as it counts it: pending deliveries by webhook, outcomes. */
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { volumeRowsMax, volumeWebhooksMax } from "../../../../src/limits/volumes.ts"
import { outcomesPart, Volumes } from "../../../../src/store/accounts/volumes.ts"
import { Drops } from "../../../../src/store/webhooks/dropped-deliveries.ts"
import { Webhooks } from "../../../../src/store/webhooks/webhooks.ts"
import { useStore } from "../../../support/store-services.ts"
import { now } from "../../../support/stored-deliveries.ts"

describe("what the store keeps for an account", () => {
  const { run, account, sql } = useStore(Layer.mergeAll(Volumes.layer, Webhooks.layer, Drops.layer))
  const pending = (accountId: string) => run(Effect.flatMap(Volumes, (one) => one.pending(accountId)))
  const outcomes = (accountId: string) => run(Effect.flatMap(Volumes, (one) => one.outcomes(accountId)))
  const webhook = async (accountId: string): Promise<string> => {
    const id = newId("webhook")
    const draft = { id, accountId, url: "https://example.com", events: ["*"], secret: "sealed" }
    await run(Effect.flatMap(Webhooks, (one) => one.create(draft, 100, now)))
    return id
  }
  /** Deliveries of one webhook; `dueEvery` of them fall due in each millisecond. */
  const deliver = (webhookId: string, number: number, { body = "é", state = 0, dueEvery = 1 } = {}) =>
    sql(
      `insert into deliveries (id, webhook_id, event, body, created_at, state, attempts, earlier_attempts, max_attempts, due_at, at)
       select $1 || n, $1, 'agent:stopped', $2, $3, $4, 0, 0, 4, $3::bigint + n / $5::int, $3
       from generate_series(1, $6::int) n`,
      [webhookId, body, now, state, dueEvery, number]
    )
  const keep = (accountId: string, number: number, body: string | null, startedAt = now) =>
    sql(
      `insert into idempotency (account_id, route, key, body_hash, state, node, started_at, status, body)
       select $1, 'POST /' || n % 7, 'k' || n, '', $2, 'a', $3::bigint + n, 200, $4 from generate_series(1, $5::int) n`,
      [accountId, body === null ? "running" : "done", startedAt, body, number]
    )

  it("is its pending deliveries by webhook and the bytes of their bodies, and nobody else's", async () => {
    const [mine, other] = [await account(), await account()]
    const [first, second, empty, foreign] = [
      await webhook(mine),
      await webhook(mine),
      await webhook(mine),
      await webhook(other)
    ]
    await deliver(first, 3)
    await deliver(first.replace("whk", "old"), 5)
    await deliver(second, 1, { body: "four" })
    await deliver(empty, 4, { state: 1 })
    await deliver(foreign, 9)
    expect(await pending(mine)).toEqual({
      plan: "pro",
      parts: new Map([
        [first, { number: 3, bytes: 6 }],
        [second, { number: 1, bytes: 4 }]
      ]),
      oldest: undefined
    })
  })

  it("is also the answers to attempts of what is pending, and not those of what is finished", async () => {
    const accountId = await account()
    const [open, done] = [await webhook(accountId), await webhook(accountId)]
    await deliver(open, 2)
    await deliver(done, 1, { state: 2 })
    await sql("update deliveries set attempts = 2 where webhook_id = any($1::text[])", [[open, done]])
    await sql(
      `insert into attempts (delivery_id, attempt, webhook_id, shown_attempt, max_attempts, event, at, response_body)
       select d.id, n, d.webhook_id, n, 4, d.event, d.at, case when n = 1 then 'éé' end
       from deliveries d, generate_series(1, 2) n where d.webhook_id = any($1::text[])`,
      [[open, done]]
    )
    expect((await pending(accountId)).parts).toEqual(new Map([[open, { number: 2, bytes: 2 * (2 + 4) }]]))
  })

  it("is nothing of an account that has nothing, or is not there", async () => {
    expect(await pending(await account())).toEqual({ plan: "pro", parts: new Map(), oldest: undefined })
    expect(await pending(newId("account"))).toEqual({ plan: undefined, parts: new Map(), oldest: undefined })
    const nothing = new Map([[outcomesPart, { number: 0, bytes: 0 }]])
    expect(await outcomes(await account())).toEqual({ plan: "pro", parts: nothing, oldest: undefined })
    expect(await outcomes(newId("account"))).toEqual({ plan: undefined, parts: nothing, oldest: undefined })
  })

  it.each([
    [`${volumeRowsMax} deliveries`, volumeRowsMax, 1],
    [`more than ${volumeRowsMax}`, 2 * volumeRowsMax + 7, 1],
    [`more than ${volumeRowsMax} of which many fall due at once`, 2 * volumeRowsMax + 7, 300],
    [`more than ${volumeRowsMax} that all fall due at once`, 2 * volumeRowsMax + 7, 10_000]
  ])("is counted in pages and whole: %s", async (_, number, dueEvery) => {
    const accountId = await account()
    const id = await webhook(accountId)
    await deliver(id, number, { dueEvery })
    expect((await pending(accountId)).parts).toEqual(new Map([[id, { number, bytes: number * 2 }]]))
  })

  it(`is counted of more than the ${volumeWebhooksMax} webhooks that one statement looks at`, async () => {
    const accountId = await account()
    const number = 2 * volumeWebhooksMax + 1
    for (let nth = 0; nth < number; nth++) await deliver(await webhook(accountId), nth + 1)
    const counted = [...(await pending(accountId)).parts.values()].map((part) => part.number)
    expect(counted.sort((a, b) => a - b)).toEqual(Array.from({ length: number }, (_, nth) => nth + 1))
  })

  it("is its outcomes and running calls, the bytes of their bodies, and when the oldest began", async () => {
    const [mine, other] = [await account(), await account()]
    await keep(mine, 2 * volumeRowsMax + 5, "é")
    await keep(mine.replace("acc", "old"), 5, "é")
    await sql("update idempotency set body = null where account_id = $1 and key = 'k1'", [mine])
    await keep(other, 3, null, now - 10)
    const number = 2 * volumeRowsMax + 5
    const parts = new Map([[outcomesPart, { number, bytes: 2 * number - 2 }]])
    expect(await outcomes(mine)).toEqual({ plan: "pro", parts, oldest: now + 1 })
    expect(await outcomes(other)).toEqual({
      plan: "pro",
      parts: new Map([[outcomesPart, { number: 3, bytes: 0 }]]),
      oldest: now - 9
    })
  })

  it("shows at each webhook what was dropped, added up, and nothing of one that is gone", async () => {
    const accountId = await account()
    const [one, untouched] = [await webhook(accountId), await webhook(accountId)]
    const gone = newId("webhook")
    const drop = (number: number, at: number) =>
      run(
        Effect.flatMap(Drops, (drops) =>
          drops.add([
            { webhookId: gone, number: 1, at },
            { webhookId: one, number, at }
          ])
        )
      )
    await drop(3, now + 5)
    await drop(4, now)
    const rows = await run(Effect.flatMap(Webhooks, (webhooks) => webhooks.list(accountId)))
    expect(new Map(rows.map(({ id, dropped, lastDroppedAt }) => [id, [dropped, lastDroppedAt]]))).toEqual(
      new Map([
        [one, [7, now + 5]],
        [untouched, [0, null]]
      ])
    )
    expect(await sql("select 1 from webhook_health where webhook_id = $1", [gone])).toEqual([])
  })
})
