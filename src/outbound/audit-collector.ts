/**
 * Where the audit log is handed on to: a file, or an https endpoint, which gets batches signed as webhooks are. Owns
 * both ways and their bounds; decides not when, nor what follows a failure.
 */
import { open } from "node:fs/promises"
import { Clock, Data, Effect, type Scope } from "effect"
import type { AuditEvent } from "../domain/account/audit-event.ts"
import { shownEvent } from "../domain/account/shown-audit-event.ts"
import { deliveryHeaders, signingKey } from "../domain/webhook/signature.ts"
import { auditPostMillisMax } from "../limits/audit.ts"
import { connectMillisMax } from "../limits/delivery.ts"

/** The sink did not take a batch. */
class SinkFailed extends Data.TaggedError("SinkFailed")<{ readonly cause: unknown }> {}

/** Takes a batch. A failed one may have been taken in part, and comes again. */
export type Collector = (events: ReadonlyArray<AuditEvent>) => Effect.Effect<void, SinkFailed>

const linesOf = (events: ReadonlyArray<AuditEvent>): string =>
  events.map((event) => `${JSON.stringify({ ...shownEvent(event), accountId: event.accountId ?? null })}\n`).join("")

const ownerOnly = 0o600

/** Appends to a file. It is opened for each batch, so that one that was renamed is left alone and a new one made. */
const intoFile =
  (path: string): Collector =>
  (events) =>
    Effect.tryPromise({
      try: async () => {
        const file = await open(path, "a", ownerOnly)
        try {
          await file.appendFile(linesOf(events))
          await file.sync()
        } finally {
          await file.close()
        }
      },
      catch: (cause) => new SinkFailed({ cause })
    })

const eventName = "audit.events"

/** Posts to an endpoint, whose redirects are not followed. A batch is told by the id of its last event. */
const toEndpoint = Effect.fnUntraced(function* (address: string, secret: string) {
  const { origin, pathname, search } = new URL(address)
  const pool = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const { Pool } = await import("undici")
      return new Pool(origin, { connections: 1, connect: { timeout: connectMillisMax } })
    }),
    (one) => Effect.promise(() => one.destroy())
  )
  const keys = [signingKey(secret)]
  const post = async (events: ReadonlyArray<AuditEvent>, now: number, signal: AbortSignal): Promise<void> => {
    const body = linesOf(events)
    const signed = deliveryHeaders({ deliveryId: events.at(-1)!.id, event: eventName, attempt: 1, body }, keys, now)
    const headers = { ...signed, "content-type": "application/x-ndjson", "user-agent": "hub-audit/1" }
    const answer = await pool.request({ method: "POST", path: pathname + search, headers, body, signal })
    await answer.body.dump()
    if (answer.statusCode < 200 || answer.statusCode > 299)
      throw new Error(`the audit sink answered ${answer.statusCode}`)
  }
  const collect: Collector = (events) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.tryPromise({ try: (signal) => post(events, now, signal), catch: (cause) => new SinkFailed({ cause }) })
    ).pipe(
      Effect.timeoutOrElse({
        duration: auditPostMillisMax,
        orElse: () => Effect.fail(new SinkFailed({ cause: new Error("the audit sink took too long") }))
      })
    )
  return collect
})

/** The collector that the settings name. */
export const collectorOf = (sink: string, secret: string): Effect.Effect<Collector, never, Scope.Scope> =>
  /^https?:/u.test(sink) ? toEndpoint(sink, secret) : Effect.succeed(intoFile(sink))
