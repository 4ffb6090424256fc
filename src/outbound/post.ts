/**
 * The only way out to integrators' endpoints. Owns the kept-alive connections: one pool an origin, so that a hanging
 * receiver holds nobody else's; bounded in number, closed when idle. Every connection goes to an address that was
 * resolved and filtered for it; a whole attempt has ten seconds however its answer drips.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { Pool } from "undici"
import { Config } from "../config.ts"
import type { Answered } from "../domain/delivery.ts"
import { literalAddress } from "../domain/webhookurl.ts"
import { attemptMillisMax, connectMillisMax, originIdleMillis, originsMax } from "../limits/delivery.ts"
import { type AddressFilter, addressFilter } from "./addresses.ts"
import { exchange, failed, type Reply } from "./exchange.ts"
import { liveResolve, pinnedLookup, type Resolve } from "./resolve.ts"

/** One POST. */
export interface Posting {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

/** What may be chosen differently in tests and benches. */
export interface OutboundOptions {
  readonly allowCidrs: ReadonlyArray<string>
  readonly resolve?: Resolve
  readonly connectMillis?: number
  readonly attemptMillis?: number
  readonly origins?: number
}

/** The way out. */
export class Outbound extends Context.Service<
  Outbound,
  {
    /** Posts once. Never fails: what went wrong is in the answer. Interrupting it closes the connection. */
    readonly post: (posting: Posting) => Effect.Effect<Answered>
    /** Whether an address that stands in a URL itself may be connected to. */
    readonly allowed: AddressFilter
    /** Origins with a pool now. */
    readonly origins: () => number
  }
>()("hub/Outbound") {
  static readonly layerOf = (options: OutboundOptions): Layer.Layer<Outbound> =>
    Layer.effect(
      Outbound,
      Effect.suspend(() => make(options))
    )
  static readonly layer: Layer.Layer<Outbound, never, Config> = Layer.effect(
    Outbound,
    Effect.flatMap(Config, (config) => make({ allowCidrs: config.webhookAllowCidrs }))
  )
}

interface Address {
  readonly origin: string
  readonly path: string
  readonly literal: string | undefined
}

const addressOf = (text: string): Address => {
  const url = new URL(text)
  return { origin: url.origin, path: url.pathname + url.search, literal: literalAddress(url.hostname) }
}

const make = Effect.fnUntraced(function* (options: OutboundOptions) {
  const clock = yield* Clock.Clock
  const allowed = addressFilter(options.allowCidrs)
  const lookup = pinnedLookup(options.resolve ?? liveResolve(), allowed)
  const attemptMillis = options.attemptMillis ?? attemptMillisMax
  // A pool that leaves the cache ends what is under way on it first.
  const pools = new LRUCache<string, Pool>({
    max: options.origins ?? originsMax,
    dispose: (pool) => void pool.close().catch(() => undefined)
  })
  const addresses = new LRUCache<string, Address>({ max: (options.origins ?? originsMax) * 4 })

  const poolOf = (origin: string): Pool => {
    let pool = pools.get(origin)
    if (pool === undefined) {
      pool = new Pool(origin, {
        // the number is bounded by what is under way: four a webhook
        connections: null,
        pipelining: 1,
        allowH2: false,
        keepAliveTimeout: originIdleMillis,
        keepAliveMaxTimeout: originIdleMillis,
        headersTimeout: 0,
        bodyTimeout: 0,
        connect: { lookup, timeout: options.connectMillis ?? connectMillisMax }
      })
      pools.set(origin, pool)
    }
    return pool
  }

  const addressOnce = (text: string): Address => {
    let address = addresses.get(text)
    if (address === undefined) {
      address = addressOf(text)
      addresses.set(text, address)
    }
    return address
  }

  const send = (posting: Posting): Effect.Effect<Reply> =>
    Effect.callback<Reply>((resume) => {
      const address = addressOnce(posting.url)
      // net.connect looks nothing up for a literal address, so it is judged here
      if (address.literal !== undefined && !allowed(address.literal)) {
        resume(Effect.succeed(failed("blocked_address")))
        return undefined
      }
      const giveUp = exchange(
        poolOf(address.origin),
        { path: address.path, method: "POST", headers: posting.headers, body: posting.body },
        (reply) => resume(Effect.succeed(reply))
      )
      return Effect.sync(giveUp)
    })

  const late = Effect.sync(() => failed("timeout"))

  const post = (posting: Posting): Effect.Effect<Answered> =>
    Effect.suspend(() => {
      const startedAt = clock.currentTimeMillisUnsafe()
      return send(posting).pipe(
        Effect.timeoutOrElse({ duration: attemptMillis, orElse: () => late }),
        Effect.map((reply) => ({
          ...reply,
          durationMs: Math.max(0, Math.round(clock.currentTimeMillisUnsafe() - startedAt))
        }))
      )
    })

  yield* Effect.addFinalizer(() =>
    Effect.promise(() => Promise.allSettled([...pools.values()].map((pool) => pool.destroy())))
  )

  return Outbound.of({ post, allowed, origins: () => pools.size })
})
