/**
 * The only way out to integrators' endpoints. Owns the kept-alive connections: one pool an origin, so that a hanging
 * receiver holds nobody else's; bounded in number, closed when idle. Every connection goes to an address that was
 * resolved and filtered for it; a whole attempt has ten seconds however its answer drips.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { Pool } from "undici"
import { Config } from "../config.ts"
import type { Answered } from "../domain/webhook/delivery.ts"
import { literalAddress } from "../domain/webhook/webhook-url.ts"
import { attemptMillisMax, connectMillisMax, originIdleMillis, originsMax } from "../limits/delivery.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import { type AddressFilter, addressFilter } from "./addresses.ts"
import { makePatience } from "./deadline-queue.ts"
import { exchange, failed, type Reply } from "./http-exchange.ts"
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
  /** Wins over `allowCidrs`. */
  readonly denyCidrs?: ReadonlyArray<string>
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
    Effect.flatMap(Config, (config) =>
      make({ allowCidrs: config.webhookAllowCidrs, denyCidrs: config.webhookDenyCidrs })
    )
  )
}

interface Address {
  readonly origin: string
  readonly path: string
  /** It stands in the URL itself and may not be connected to: nothing is looked up for it, so it is judged here. */
  readonly blocked: boolean
}

const addressOf = (text: string, allowed: AddressFilter): Address => {
  const url = new URL(text)
  const literal = literalAddress(url.hostname)
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    blocked: literal !== undefined && !allowed(literal)
  }
}

/** A pool an origin. One that leaves the cache ends what is under way on it first. */
const makePools = (lookup: ReturnType<typeof pinnedLookup>, options: OutboundOptions) => {
  const pools = new LRUCache<string, Pool>({
    max: options.origins ?? originsMax,
    dispose: (pool) => void pool.close().catch(() => undefined)
  })
  return {
    of: (origin: string): Pool => {
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
    },
    size: () => pools.size,
    destroy: Effect.promise(() => Promise.allSettled([...pools.values()].map((pool) => pool.destroy())))
  }
}

const make = Effect.fnUntraced(function* (options: OutboundOptions) {
  const clock = yield* Clock.Clock
  const allowed = addressFilter(options.allowCidrs, options.denyCidrs)
  const patience = yield* makePatience(options.attemptMillis ?? attemptMillisMax)
  const pools = makePools(pinnedLookup(options.resolve ?? liveResolve(), allowed), options)
  const addresses = new LRUCache<string, Address>({ max: (options.origins ?? originsMax) * 4 })

  const addressOnce = (text: string): Address => {
    let address = addresses.get(text)
    if (address === undefined) {
      address = addressOf(text, allowed)
      addresses.set(text, address)
    }
    return address
  }

  const post = (posting: Posting): Effect.Effect<Answered> =>
    Effect.callback<Answered>((resume) => {
      const startedAt = monotonicMillis(clock)
      let giveUp: (() => void) | undefined
      const answer = (reply: Reply): void => {
        forget()
        const durationMs = monotonicMillis(clock) - startedAt
        resume(Effect.succeed({ ...reply, durationMs }))
      }
      const forget = patience(() => {
        giveUp?.()
        answer(failed("timeout"))
      })
      const address = addressOnce(posting.url)
      if (address.blocked) {
        answer(failed("blocked_address"))
        return undefined
      }
      const options = { path: address.path, method: "POST", headers: posting.headers, body: posting.body } as const
      giveUp = exchange(pools.of(address.origin), options, answer)
      return Effect.sync(() => {
        forget()
        giveUp?.()
      })
    })

  yield* Effect.addFinalizer(() => pools.destroy)

  return Outbound.of({ post, allowed, origins: pools.size })
})
