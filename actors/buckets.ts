/**
 * The per-minute limits as the guard sees them. Owns the two policies (`key`, `ip`); the windows themselves live in
 * bucket.ts. Everything here is synchronous and in memory.
 */
import { Context } from "effect"

/** What a bucket answers. Seconds are whole and rounded up, so that coming back on time is never too early. */
export interface Decision {
  readonly admitted: boolean
  readonly policy: "key" | "ip"
  readonly limit: number
  readonly windowSeconds: number
  readonly remaining: number
  /** Until a place frees (the oldest admission leaves the window); 0 when the window is empty. */
  readonly resetSeconds: number
  /** 0 when admitted, otherwise at least 1 and never before `resetSeconds`. */
  readonly retryAfter: number
}

/** The rate limits. */
export class Limits extends Context.Service<
  Limits,
  {
    /** Takes a place in the window of a key. */
    readonly key: (keyId: string) => Decision
    /** Takes a place in the window of an address (IPv4, or IPv6 already cut to its /64). */
    readonly address: (address: string) => Decision
    /** Looks without taking a place. */
    readonly seenKey: (keyId: string) => Decision
    /** Looks without taking a place. */
    readonly seenAddress: (address: string) => Decision
  }
>()("hub/Limits") {}
