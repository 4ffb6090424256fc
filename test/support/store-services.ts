/**
 * Store services over one fresh database for a test file. Owns their life: made before the first test, gone after the
 * last.
 */
import { type Context, Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll } from "vitest"
import { newId } from "../../src/domain/ids.ts"
import { Accounts } from "../../src/store/accounts/accounts.ts"
import { type FreshDatabase, freshDatabase } from "./database.ts"

/** What a store test works with. */
export interface StoreUnderTest<S> {
  /** Runs with the services. Only inside tests. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, S | Accounts | SqlClient.SqlClient>) => Promise<A>
  /** Runs with one of them. */
  readonly using: <I extends S | Accounts | SqlClient.SqlClient, Port>(
    key: Context.Key<I, Port>
  ) => <A, E>(use: (port: Port) => Effect.Effect<A, E>) => Promise<A>
  /** Asks the database itself. */
  readonly sql: <A extends object>(text: string, values?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<A>>
  /** A new account's id: tests share the database and keep apart by account. */
  readonly account: () => Promise<string>
  readonly database: () => FreshDatabase
}

/** Registers the making and the end of the services with the test file that calls it. */
export const useStore = <S>(services: Layer.Layer<S, never, SqlClient.SqlClient>): StoreUnderTest<S> => {
  let database: FreshDatabase
  let runtime: ManagedRuntime.ManagedRuntime<S | Accounts | SqlClient.SqlClient, unknown>

  beforeAll(async () => {
    database = await freshDatabase()
    runtime = ManagedRuntime.make(Layer.mergeAll(services, Accounts.layer).pipe(Layer.provideMerge(database.layer)))
    await runtime.context()
  })
  afterAll(async () => {
    await runtime?.dispose()
    await database?.close()
  })

  const run: StoreUnderTest<S>["run"] = (effect) => runtime.runPromise(effect)
  const using: StoreUnderTest<S>["using"] = (key) => (use) => run(Effect.flatMap(key, use))
  const sql: StoreUnderTest<S>["sql"] = (text, values = []) =>
    run(Effect.flatMap(SqlClient.SqlClient, (client) => client.unsafe(text, values)))
  const account = async (): Promise<string> => {
    const id = newId("account")
    const draft = {
      id,
      email: `${id}@example.com`,
      passwordHash: null,
      plan: "pro",
      admin: false,
      createdAt: 1
    } as const
    await run(Effect.flatMap(Accounts, (accounts) => accounts.create(draft)))
    return id
  }
  return { run, using, sql, account, database: () => database }
}
