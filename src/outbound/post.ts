/**
 * The only way out to integrators' endpoints. Owns the keep-alive connections: one pool per origin, so that a hanging
 * receiver delays no other; bounded in number, closed when idle. Each connection goes to an address that was resolved
 * and filtered for it. An attempt has ten seconds, however slowly its response comes.
 */
import { Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { Config } from "../config.ts"
import type { AttemptResult } from "../domain/webhook/delivery.ts"
import { literalAddress } from "../domain/webhook/webhook-url.ts"
import { attemptMillisMax, connectMillisMax, originsMax } from "../limits/delivery.ts"
import { Timers } from "../runtime/timers.ts"
import { type AddressFilter, addressFilter } from "./address-filter.ts"
import { makeConnector } from "./connector.ts"
import { exchange, failed, type Reply, requestText } from "./http-client.ts"
import { Connections } from "./http-connections.ts"
import { liveResolve, pinnedLookup, type Resolve } from "./resolve.ts"

export interface Posting {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array
  /** Told what reading the answer cost (src/domain/limits/cost.ts). */
  readonly charge: (cost: number) => void
}

/** What tests and benches may choose differently. */
export interface OutboundOptions {
  readonly allowCidrs: ReadonlyArray<string>
  /** Wins over `allowCidrs`. */
  readonly denyCidrs?: ReadonlyArray<string>
  readonly resolve?: Resolve
  readonly connectMillis?: number
  readonly attemptMillis?: number
  readonly origins?: number
}

/** Posts to integrators' endpoints. */
export class Outbound extends Context.Service<
  Outbound,
  {
    /** Posts once. Never fails: the answer holds the error. Interrupting it closes the connection. */
    readonly post: (posting: Posting) => Effect.Effect<AttemptResult>
    /** Whether the hub may connect to an address literal of a URL. */
    readonly allowed: AddressFilter
    /** Origins that have a pool. */
    readonly origins: () => number
  }
>()("hub/Outbound") {
  static readonly layerOf = (options: OutboundOptions): Layer.Layer<Outbound> =>
    Layer.effect(
      Outbound,
      Effect.suspend(() => make(options))
    ).pipe(Layer.provide(Timers.layer))
  static readonly layer: Layer.Layer<Outbound, never, Config | Timers> = Layer.effect(
    Outbound,
    Effect.flatMap(Config, (config) =>
      make({ allowCidrs: config.webhookAllowCidrs, denyCidrs: config.webhookDenyCidrs })
    )
  )
}

interface Address {
  readonly origin: string
  /** The first line of a request, and its `host`. */
  readonly start: string
  /** The URL holds a forbidden address literal: no look-up happens for it, so it is judged here. */
  readonly blocked: boolean
}

const addressOf = (text: string, allowed: AddressFilter): Address => {
  const url = new URL(text)
  const literal = literalAddress(url.hostname)
  return {
    origin: url.origin,
    start: `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`,
    blocked: literal !== undefined && !allowed(literal)
  }
}

/** The connections of each origin. Those of one that leaves the cache first end their requests. */
const makePools = (lookup: ReturnType<typeof pinnedLookup>, options: OutboundOptions) => {
  const pools = new LRUCache<string, Connections>({
    max: options.origins ?? originsMax,
    dispose: (connections) => connections.close()
  })
  const timeout = options.connectMillis ?? connectMillisMax
  return {
    of: (origin: string): Connections => {
      let connections = pools.get(origin)
      if (connections === undefined) {
        connections = new Connections(origin, makeConnector({ allowH2: false, lookup, timeout }))
        pools.set(origin, connections)
      }
      return connections
    },
    size: () => pools.size,
    destroy: Effect.sync(() => {
      for (const connections of pools.values()) connections.destroy()
    })
  }
}

const make = Effect.fnUntraced(function* (options: OutboundOptions) {
  const timers = yield* Timers
  const allowed = addressFilter(options.allowCidrs, options.denyCidrs)
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

  const post = (posting: Posting): Effect.Effect<AttemptResult> =>
    Effect.callback<AttemptResult>((resume) => {
      const startedAt = timers.monotonic()
      let giveUp: (() => void) | undefined
      const answer = (reply: Reply, cost = 0): void => {
        deadline.clear()
        posting.charge(cost)
        const durationMs = timers.monotonic() - startedAt
        resume(Effect.succeed({ ...reply, durationMs }))
      }
      const deadline = timers.after(options.attemptMillis ?? attemptMillisMax, () => {
        giveUp?.()
        answer(failed("timeout"))
      })
      const address = addressOnce(posting.url)
      if (address.blocked) {
        answer(failed("blocked_address"))
        return undefined
      }
      const text = requestText(address.start, posting.headers, posting.body)
      giveUp = exchange(pools.of(address.origin), text, answer)
      return Effect.sync(() => {
        deadline.clear()
        giveUp?.()
      })
    })

  yield* Effect.addFinalizer(() => pools.destroy)

  return Outbound.of({ post, allowed, origins: pools.size })
})
