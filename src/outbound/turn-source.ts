/**
 * The source of TURN credentials: a secret shared with coturn, or Cloudflare's HTTP API. Owns the port and both
 * implementations; caches nothing and hides no failure (ice.ts does both).
 */
import { createHmac } from "node:crypto"
import { Clock, Context, Data, Effect, Exit, Layer, Schema, Semaphore } from "effect"
import { Config } from "../config.ts"
import { whyTooFull } from "../domain/text/document-limit.ts"
import {
  turnCredentialSeconds,
  turnPauseMillis,
  turnSourceBytesMax,
  turnSourceInFlightMax,
  turnSourceMillisMax
} from "../limits.ts"
import type { IceServer } from "../protocol/hub-frames.ts"
import { NodeCost } from "../runtime/node-cost.ts"
import { circuitBreaker } from "./circuit-breaker.ts"

/**
 * The source gave no credentials. `cause` is for the log and holds no secret. `circuitOpen`: it was not asked, since it
 * failed a moment ago.
 */
export class TurnFailed extends Data.TaggedError("TurnFailed")<{
  readonly cause: unknown
  readonly circuitOpen?: true
}> {}

/** Issued TURN servers. `expiresAt` is epoch milliseconds. */
export interface Issued {
  readonly servers: ReadonlyArray<IceServer>
  readonly expiresAt: number
}

/** The port. `issue` is undefined where no source is configured. */
export class TurnSource extends Context.Service<
  TurnSource,
  { readonly issue: ((accountId: string) => Effect.Effect<Issued, TurnFailed>) | undefined }
>()("hub/TurnSource") {
  /** The source that the settings name: coturn's secret before Cloudflare's key. */
  static readonly layer: Layer.Layer<TurnSource, never, Config | NodeCost> = Layer.effect(
    TurnSource,
    Effect.gen(function* () {
      const { turnUrls, turnSecret, turnCloudflareKeyId, turnCloudflareToken } = yield* Config
      if (turnUrls.length > 0 && turnSecret !== undefined) return { issue: sharedSecret(turnUrls, turnSecret) }
      if (turnCloudflareKeyId === undefined || turnCloudflareToken === undefined) return { issue: undefined }
      return { issue: yield* cloudflare(cloudflareOrigin, turnCloudflareKeyId, turnCloudflareToken) }
    })
  )
}

const cloudflareOrigin = "https://rtc.live.cloudflare.com"

/**
 * coturn's `use-auth-secret` (draft-uberti-behave-turn-rest): the username is `<expiry in epoch seconds>:<account>`,
 * the credential base64(HMAC-SHA1(secret, username)).
 */
export const sharedSecret =
  (urls: ReadonlyArray<string>, secret: string) =>
  (accountId: string): Effect.Effect<Issued> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const expiry = Math.floor(now / 1_000) + turnCredentialSeconds
      const username = `${expiry}:${accountId}`
      const credential = createHmac("sha1", secret).update(username).digest("base64")
      return { servers: [{ urls, username, credential }], expiresAt: expiry * 1_000 }
    })

const Server = Schema.Struct({
  urls: Schema.Union([Schema.String, Schema.Array(Schema.String)]),
  username: Schema.optionalKey(Schema.String),
  credential: Schema.optionalKey(Schema.String)
})
// The API has answered with one object and with a list.
const decodeAnswer = Schema.decodeUnknownExit(
  Schema.Struct({ iceServers: Schema.Union([Schema.Array(Server), Server]) })
)

const read = (text: string, charge: (cost: number) => void): ReadonlyArray<IceServer> => {
  const why = whyTooFull(text, charge)
  if (why !== undefined) throw new Error(`the answer of the TURN source ${why}`)
  const exit = decodeAnswer(JSON.parse(text))
  if (Exit.isFailure(exit)) throw new Error("the TURN source answered with something else than ICE servers")
  const { iceServers } = exit.value
  const all = "urls" in iceServers ? [iceServers] : iceServers
  const turn = all
    .filter((server) => server.username !== undefined && server.credential !== undefined)
    .map((server) => ({ ...server, urls: typeof server.urls === "string" ? [server.urls] : server.urls }))
  if (turn.length === 0) throw new Error("the TURN source answered without credentials")
  return turn
}

/** Cloudflare's `POST /v1/turn/keys/{keyId}/credentials/generate-ice-servers`. */
export const cloudflare = Effect.fnUntraced(function* (origin: string, keyId: string, token: string) {
  const pool = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const { Pool } = await import("undici")
      return new Pool(origin, { connections: turnSourceInFlightMax, connect: { timeout: turnSourceMillisMax } })
    }),
    (open) => Effect.promise(() => open.destroy())
  )
  const node = yield* NodeCost
  const slots = yield* Semaphore.make(turnSourceInFlightMax)
  const openFailure = new TurnFailed({ cause: new Error("the TURN source failed a moment ago"), circuitOpen: true })
  const breaker = circuitBreaker<ReadonlyArray<IceServer>, TurnFailed>(turnPauseMillis, Effect.fail(openFailure))
  const ask = async (accountId: string, signal: AbortSignal): Promise<ReadonlyArray<IceServer>> => {
    const answer = await pool.request({
      method: "POST",
      path: `/v1/turn/keys/${encodeURIComponent(keyId)}/credentials/generate-ice-servers`,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ ttl: turnCredentialSeconds, customIdentifier: accountId }),
      signal
    })
    if (answer.statusCode !== 200 && answer.statusCode !== 201) {
      await answer.body.dump({ limit: turnSourceBytesMax })
      throw new Error(`the TURN source answered ${answer.statusCode}`)
    }
    const pieces: Array<Buffer> = []
    let bytes = 0
    for await (const piece of answer.body) {
      bytes += (piece as Buffer).byteLength
      if (bytes > turnSourceBytesMax) throw new Error("the TURN source answered with too much")
      pieces.push(piece as Buffer)
    }
    return read(Buffer.concat(pieces).toString("utf8"), (cost) => node.owe(accountId, cost))
  }
  return (accountId: string): Effect.Effect<Issued, TurnFailed> =>
    Effect.gen(function* () {
      const asked = yield* Clock.currentTimeMillis
      const call = Effect.tryPromise({
        try: (signal) => ask(accountId, signal),
        catch: (cause) => new TurnFailed({ cause })
      })
      const servers = yield* slots.withPermit(breaker(call))
      return { servers, expiresAt: asked + turnCredentialSeconds * 1_000 }
    }).pipe(
      Effect.timeoutOrElse({
        duration: turnSourceMillisMax,
        orElse: () => Effect.fail(new TurnFailed({ cause: new Error("the TURN source took too long") }))
      })
    )
})
