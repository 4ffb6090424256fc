/**
 * The one SQL client of the hub: node-postgres behind Effect's SqlClient, for a real Postgres and for the embedded one
 * alike. Owns connections out and back, prepared names, and the measuring of statements; knows no table. query.ts has
 * how a store asks.
 *
 * `int8` arrives as a number (all of ours are epoch milliseconds or counts), `bytea` as a Buffer, `json` parsed. A NUL
 * in a text cannot be stored and becomes U+FFFD; columns for foreign JSON are `json`, since `jsonb` refuses `\u0000`.
 */
import { Clock, Effect, Exit, Layer, type Scope, Stream } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient, SqlError, Statement } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import pg from "pg"
import { connectionWaitersMax } from "../../limits/store.ts"
import { connectionWaits, observe, statementDurations } from "../../runtime/histograms.ts"
import { monotonicMillis } from "../../runtime/monotonic.ts"
import { Prepared } from "./prepared-statements.ts"
import { classify, isBroken } from "./sql-errors.ts"
import { AskedFor, Turns } from "./turns.ts"

const int8 = 20
/** How answers are read: as node-postgres does, but for int8. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser
}

const storable = (value: unknown): unknown => {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value
  if (Array.isArray(value)) return value.map(storable)
  return value
}

interface SqlStatement {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
  readonly prepared: boolean
  readonly rowMode?: "array"
}

const nanosPerSecond = 1e9

/** Measures statements by this clock. */
class StatementTimes {
  private readonly clock: Clock.Clock

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  now(): bigint {
    return this.clock.monotonicTimeNanosUnsafe()
  }

  private since(begun: bigint): number {
    return Number(this.now() - begun) / nanosPerSecond
  }

  waited(begun: bigint): void {
    observe(connectionWaits, this.since(begun))
  }

  ended(begun: bigint, outcome: keyof typeof statementDurations): void {
    observe(statementDurations[outcome], this.since(begun))
  }
}

/** What the connections of a pool have in common. */
interface LineContext {
  readonly prepared: Prepared
  readonly failed: (cause: unknown) => void
  readonly times: StatementTimes
}

/** One checked-out connection: its statements run one after another, also after an interruption. */
class SqlConnection implements Connection {
  readonly client: pg.PoolClient
  readonly prepared: Prepared
  readonly failed: (cause: unknown) => void
  readonly times: StatementTimes
  last: Promise<unknown> | undefined
  broken = false
  /** Ends the turn that it was taken in. */
  ended: (() => void) | undefined

  constructor(client: pg.PoolClient, { prepared, failed, times }: LineContext) {
    this.client = client
    this.prepared = prepared
    this.failed = failed
    this.times = times
  }

  ask(question: SqlStatement): Effect.Effect<pg.QueryResult, SqlError.SqlError> {
    return Effect.callback((resume) => {
      const name = question.prepared ? this.prepared.name(question.text) : undefined
      const values = question.values.map(storable)
      const config = { text: question.text, values, ...(name && { name }), rowMode: question.rowMode }
      let begun = this.times.now()
      const send = (): Promise<pg.QueryResult> => {
        begun = this.times.now()
        return this.client.query(config as pg.QueryConfig)
      }
      // An interrupted statement still runs: the ROLLBACK behind it waits for its end.
      const answer = this.last === undefined ? send() : this.last.then(send)
      const done = answer.then(
        (result) => {
          if (this.last === done) this.last = undefined
          this.times.ended(begun, "succeeded")
          resume(Effect.succeed(result))
        },
        (cause) => {
          if (this.last === done) this.last = undefined
          if (isBroken(cause)) this.broken = true
          this.times.ended(begun, "failed")
          this.failed(cause)
          resume(Effect.fail(classify(cause, "query")))
        }
      )
      this.last = done
    })
  }

  /** Gives the connection back, once what still runs on it has ended. */
  release(): void {
    if (this.last !== undefined) return void this.last.then(() => this.release())
    this.client.release(this.broken)
    this.ended?.()
  }

  readonly execute: Connection["execute"] = (text, values, transform) =>
    Effect.map(this.ask({ text, values, prepared: true }), ({ rows }) => (transform ? transform(rows) : rows))
  readonly executeUnprepared: Connection["executeUnprepared"] = (text, values, transform) =>
    Effect.map(this.ask({ text, values, prepared: false }), ({ rows }) => (transform ? transform(rows) : rows))
  readonly executeRaw: Connection["executeRaw"] = (text, values) => this.ask({ text, values, prepared: false })
  readonly executeValues: Connection["executeValues"] = (text, values) =>
    Effect.map(
      this.ask({ text, values, prepared: true, rowMode: "array" }),
      ({ rows }) => rows as unknown as ReadonlyArray<ReadonlyArray<unknown>>
    )
  readonly executeValuesUnprepared: Connection["executeValuesUnprepared"] = (text, values) =>
    Effect.map(
      this.ask({ text, values, prepared: false, rowMode: "array" }),
      ({ rows }) => rows as unknown as ReadonlyArray<ReadonlyArray<unknown>>
    )
  readonly executeStream: Connection["executeStream"] = (text, values, transform) =>
    Stream.unwrap(Effect.map(this.execute(text, values, transform), (rows) => Stream.fromIterable(rows)))
}

const compiler = Statement.makeCompiler({
  dialect: "pg",
  placeholder: (index) => `$${index}`,
  onIdentifier: Statement.defaultEscape('"'),
  onCustom: () => ["", []],
  onRecordUpdate: (placeholders, alias, columns, values, returning) => [
    `(values ${placeholders}) AS ${alias}${columns}${returning ? ` RETURNING ${returning[0]}` : ""}`,
    returning ? values.flat().concat(returning[1]) : values.flat()
  ]
})

/** Takes a connection out of a pool; waits for one within bounds. */
const checkingOut = (pool: pg.Pool, waitersMax: number, context: LineContext) =>
  Effect.callback<SqlConnection, SqlError.SqlError>((resume) => {
    if (pool.waitingCount >= waitersMax) {
      return resume(Effect.fail(classify(new Error("too many callers wait for a connection"), "acquire")))
    }
    let wanted = true
    const { times } = context
    const begun = times.now()
    pool.connect().then(
      (client) => {
        times.waited(begun)
        if (wanted) resume(Effect.succeed(new SqlConnection(client, context)))
        else client.release()
      },
      (cause) => {
        times.waited(begun)
        resume(Effect.fail(classify(cause, "acquire")))
      }
    )
    return Effect.sync(() => {
      wanted = false
    })
  })

/** The same, once the database is ready: how long that takes is not counted as a wait for a connection. */
const onceReady = (checkout: ReturnType<typeof checkingOut>, ready: Promise<unknown>): typeof checkout =>
  Effect.andThen(Effect.tryPromise({ try: () => ready, catch: (cause) => classify(cause, "acquire") }), checkout)

const tooManyOwn = Effect.suspend(() =>
  Effect.fail(classify(new Error("callers of one account wait too long, or too many, for a connection"), "acquire"))
)

/** The same, in the turn of the account that the fiber asks for. */
const inTurn = (checkout: ReturnType<typeof checkingOut>, turns: Turns): typeof checkout =>
  Effect.flatMap(AskedFor, (owner) => {
    if (owner === undefined) return checkout
    return Effect.suspend(() => {
      let end = (): void => {}
      const turn = turns.take(owner, (ends) => {
        end = ends
      })
      const taken = Effect.flatMap(turn, (isTaken) =>
        isTaken ? Effect.map(checkout, (line) => Object.assign(line, { ended: end })) : tooManyOwn
      )
      // one that fails at once must not have the next fail within it, and so on
      const given = Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => end())
      )
      return Effect.onExit(taken, (exit) => (Exit.isFailure(exit) ? given : Effect.void))
    })
  })

/** The transaction of a connection that broke cannot be rolled back either: that is no defect of the hub. */
const withTransactionOf =
  ({ withTransaction }: SqlClient.SqlClient): SqlClient.SqlClient["withTransaction"] =>
  (self) =>
    Effect.catchDefect(withTransaction(self), (defect) =>
      SqlError.isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)
    )

/** How a client uses its pool. */
interface PoolUse {
  readonly waitersMax?: number | undefined
  /** Told why each statement failed. */
  readonly failed?: ((cause: unknown) => void) | undefined
  /** What statements wait for before they wait for a connection; undefined: nothing. */
  readonly ready?: Promise<unknown> | undefined
}

/** A client over a pool. Statements wait for a connection within bounds; a broken connection is not used again. */
export const overPool = (
  pool: pg.Pool,
  driver: string,
  { waitersMax = connectionWaitersMax, failed = () => {}, ready }: PoolUse = {}
): Effect.Effect<SqlClient.SqlClient, never, Reactivity.Reactivity> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const context: LineContext = { prepared: new Prepared(), failed, times: new StatementTimes(clock) }
    const { max: connections, connectionTimeoutMillis } = pool.options
    const turns = new Turns({
      connections,
      waitMax: connectionTimeoutMillis || Number.POSITIVE_INFINITY,
      now: () => monotonicMillis(clock)
    })
    const connected = checkingOut(pool, waitersMax, context)
    const checkout = inTurn(ready === undefined ? connected : onceReady(connected, ready), turns)
    const giveBack = (line: SqlConnection): Effect.Effect<void> => Effect.sync(() => line.release())
    const acquirer: Effect.Effect<Connection, SqlError.SqlError, Scope.Scope> = Effect.acquireRelease(
      checkout,
      giveBack,
      { interruptible: true }
    )
    const made = SqlClient.make({
      acquirer,
      borrower: (use) => Effect.acquireUseRelease(checkout, use, giveBack),
      compiler,
      driver,
      spanAttributes: [["db.system.name", "postgresql"]]
    })
    return Effect.map(made, (client) => Object.assign(client, { withTransaction: withTransactionOf(client) }))
  })

/** A client as a layer, over a pool that is made with it and ended with it. */
export const clientLayer = <E, R>(
  driver: string,
  pool: Effect.Effect<pg.Pool, E, R | Scope.Scope>,
  use: Omit<PoolUse, "waitersMax"> = {}
): Layer.Layer<SqlClient.SqlClient, E, Exclude<R, Scope.Scope>> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.flatMap(pool, (one) => overPool(one, driver, use))
  ).pipe(Layer.provide(Reactivity.layer)) as Layer.Layer<SqlClient.SqlClient, E, Exclude<R, Scope.Scope>>
