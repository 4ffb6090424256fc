/** How many deliveries wait, and which of them are late. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { backlogCountedMax } from "../../../../src/limits/delivery.ts"
import { countBacklog } from "../../../../src/store/webhooks/backlog.ts"
import { Webhooks } from "../../../../src/store/webhooks/webhooks.ts"
import { now, useDeliveries } from "../../../support/stored-deliveries.ts"

describe("the backlog", () => {
  const { run, insert, settle, webhook, fresh, outcome } = useDeliveries()
  const count = (dueBefore: number) => run(Effect.flatMap(SqlClient.SqlClient, (sql) => countBacklog(sql, dueBefore)))

  it("counts what is pending, what of it is late, and neither of a paused webhook", async () => {
    const [one, away, paused] = [await webhook(), await webhook(), await webhook()]
    const failing = { webhookId: away.id, failures: 10, failingSince: now, lastDeliveryAt: now, lastStatusCode: 500 }
    const done = fresh(one.id)
    await insert([done, fresh(one.id), fresh(one.id, { createdAt: now + 1_000 }), fresh(paused.id)])
    await insert([fresh(away.id)])
    await settle([outcome(done)], [failing])
    expect(await count(now + 1)).toEqual({ pending: 4, overdue: 2 })
    await run(Effect.flatMap(Webhooks, (store) => store.change(paused.accountId, paused.id, { active: false }, now)))
    expect(await count(now + 1)).toEqual({ pending: 3, overdue: 1 })
    expect(await count(now)).toEqual({ pending: 3, overdue: 0 })
  })

  it(`counts ${backlogCountedMax} at most`, async () => {
    const { id } = await webhook()
    for (let n = 0; n <= backlogCountedMax; n += 5_000)
      await insert(Array.from({ length: 5_000 }, () => fresh(id, { body: "{}" })))
    expect((await count(now)).pending).toBe(backlogCountedMax)
  })
})
