/**
 * ICE servers for a daemon or a dashboard: STUN always, TURN where it is to be had. Owns the hour for which a set is
 * handed out again, the sharing of one request by all who wait for it, and the fall-back to STUN only.
 */
import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { Bus } from "../bus/bus.ts"
import { Config } from "../config.ts"
import type { Plan } from "../domain/plans.ts"
import { stunOnlySeconds, turnCacheEntriesMax, turnCacheMillis } from "../limits.ts"
import type { IceServer } from "../protocol/frames.ts"
import { TurnOverrides } from "../store/turnoverrides.ts"
import { TurnSource } from "./turnsource.ts"

/** One set of servers. */
export interface IceSet {
  readonly iceServers: ReadonlyArray<IceServer>
  /** False: STUN only. */
  readonly turn: boolean
  /** When the credentials end, epoch milliseconds. */
  readonly expiresAt: number
  /** Handed out before, within the hour. */
  readonly cached: boolean
}

interface Kept extends IceSet {
  readonly plan: Plan
  readonly until: number
}

/** The port. Never fails: whatever goes wrong, STUN is left. */
export class Ice extends Context.Service<
  Ice,
  { readonly forAccount: (accountId: string, plan: Plan) => Effect.Effect<IceSet> }
>()("hub/Ice") {
  /** STUN only, from the settings. */
  static readonly layerStun: Layer.Layer<Ice, never, Config> = Layer.effect(
    Ice,
    Effect.gen(function* () {
      const { stunUrls } = yield* Config
      return {
        forAccount: () => Effect.map(Clock.currentTimeMillis, (now) => stunOnly(stunUrls, now))
      }
    })
  )

  /** STUN from the settings and TURN from the source. */
  static readonly layer: Layer.Layer<Ice, never, Config | Bus | TurnSource | TurnOverrides> = Layer.effect(
    Ice,
    Effect.suspend(() => make)
  )
}

const stunOnly = (urls: ReadonlyArray<string>, now: number): IceSet => ({
  iceServers: urls.map((url) => ({ urls: [url] })),
  turn: false,
  expiresAt: now + stunOnlySeconds * 1_000,
  cached: false
})

const make = Effect.gen(function* () {
  const { stunUrls } = yield* Config
  const { issue } = yield* TurnSource
  const overrides = yield* TurnOverrides
  const bus = yield* Bus
  const kept = new LRUCache<string, Kept>({ max: turnCacheEntriesMax })
  const asked = new Map<string, Deferred.Deferred<IceSet>>()
  // grows with each override: what was asked for before one is not kept after it
  let changes = 0
  yield* bus.subscribe("turn_changed", () => {
    changes += 1
    kept.clear()
    asked.clear()
  })

  const fresh = Effect.fnUntraced(function* (accountId: string, plan: Plan) {
    const now = yield* Clock.currentTimeMillis
    if (issue === undefined || (yield* overrides.disabled(accountId, plan))) return stunOnly(stunUrls, now)
    const before = changes
    const issued = yield* issue(accountId)
    const iceServers = [...stunUrls.map((url) => ({ urls: [url] })), ...issued.servers]
    const set = { iceServers, turn: true, expiresAt: issued.expiresAt, cached: false }
    if (changes === before) kept.set(accountId, { ...set, cached: true, plan, until: now + turnCacheMillis })
    return set
  })

  const settled = (accountId: string, plan: Plan): Effect.Effect<IceSet> =>
    Effect.catchCause(fresh(accountId, plan), (cause) =>
      Effect.gen(function* () {
        yield* Effect.logWarning("TURN credentials could not be had, STUN only", { accountId }, cause)
        return stunOnly(stunUrls, yield* Clock.currentTimeMillis)
      })
    )

  /** One request for all who ask meanwhile; it outlives whoever asked first. */
  const shared = (accountId: string, plan: Plan): Effect.Effect<IceSet> =>
    Effect.suspend(() => {
      const key = `${accountId} ${plan}`
      const running = asked.get(key)
      if (running !== undefined) return Deferred.await(running)
      const answer = Deferred.makeUnsafe<IceSet>()
      asked.set(key, answer)
      const work = Effect.flatMap(settled(accountId, plan), (set) =>
        Effect.sync(() => {
          if (asked.get(key) === answer) asked.delete(key)
          Deferred.doneUnsafe(answer, Effect.succeed(set))
        })
      )
      return Effect.andThen(Effect.forkDetach(work, { startImmediately: true }), Deferred.await(answer))
    })

  return Ice.of({
    forAccount: (accountId, plan) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const entry = kept.get(accountId)
        if (entry === undefined || entry.until <= now || entry.plan !== plan) return shared(accountId, plan)
        const { iceServers, turn, expiresAt } = entry
        return Effect.succeed({ iceServers, turn, expiresAt, cached: true })
      })
  })
})
