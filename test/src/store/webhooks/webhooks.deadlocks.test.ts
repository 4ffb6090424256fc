/** A change of a webhook that outcomes stand in the way of: how often it begins again. */
import { Effect, Exit, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { describe, expect } from "vitest"
import { deadlockRetriesMax } from "../../../../src/limits/delivery.ts"
import { Webhooks } from "../../../../src/store/webhooks/webhooks.ts"
import { it } from "../../../support/effect-test.ts"

const failed = (reason: SqlError.SqlError["reason"]) => Effect.fail(new SqlError.SqlError({ reason }))
const fields = { message: "failed", cause: new Error("failed") }

/** Removes a webhook; each transaction ends as it is told by its number, from 1 on. */
const removing = (outcome: (nth: number) => Effect.Effect<boolean, SqlError.SqlError>) => {
  let begun = 0
  const sql = { withTransaction: () => Effect.suspend(() => outcome(++begun)) } as unknown as SqlClient.SqlClient
  const layer = Webhooks.layer.pipe(Layer.provide(Layer.succeed(SqlClient.SqlClient, sql)))
  return Effect.gen(function* () {
    const exit = yield* Effect.exit(Effect.flatMap(Webhooks, (store) => store.remove("a", "w", 0)))
    return { exit, begun }
  }).pipe(Effect.provide(layer, { local: true }))
}

const deadlock = () => failed(new SqlError.DeadlockError(fields))

describe("a change of a webhook that meets a deadlock", () => {
  it.effect(`begins again up to ${deadlockRetriesMax} times`, function* () {
    const { exit, begun } = yield* removing((nth) => (nth <= deadlockRetriesMax ? deadlock() : Effect.succeed(true)))
    expect([exit, begun]).toEqual([Exit.succeed(true), deadlockRetriesMax + 1])
  })

  it.effect("fails after that", function* () {
    const { exit, begun } = yield* removing(deadlock)
    expect([Exit.isFailure(exit), begun]).toEqual([true, deadlockRetriesMax + 1])
  })

  it.effect("does not begin again after anything else", function* () {
    const { exit, begun } = yield* removing(() => failed(new SqlError.UnknownError(fields)))
    expect([Exit.isFailure(exit), begun]).toEqual([true, 1])
  })
})
