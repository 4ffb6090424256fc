/**
 * ICE servers for a daemon or a dashboard: STUN always, TURN where available. Owns the hour for which a set is reused,
 * on every node and across restarts, the sharing of one request by all concurrent callers, and the fall-back to STUN
 * only.
 */
import { Cause, Clock, Context, Effect, Layer, Option } from "effect"
import { SecretBox } from "../auth/secret-box.ts"
import { Bus } from "../bus/bus.ts"
import { Config, type Settings } from "../config.ts"
import type { Plan } from "../domain/account/plans.ts"
import { iceWelcomeMillisMax, stunOnlySeconds, turnCacheEntriesMax, turnCacheMillis } from "../limits.ts"
import type { IceServer } from "../protocol/hub-frames.ts"
import { makeInvalidatingCache } from "../runtime/invalidating-cache.ts"
import { singleFlight } from "../runtime/single-flight.ts"
import { afterByClock, failureLog, kindOf } from "../runtime/throttled-log.ts"
import { TurnOverrides } from "../store/accounts/turn-overrides.ts"
import { TurnSets } from "../store/accounts/turn-sets.ts"
import { type Issued, TurnFailed, TurnSource } from "./turn-source.ts"

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

/** ICE servers. Never fails: whatever goes wrong, STUN is left. */
export class Ice extends Context.Service<
  Ice,
  {
    readonly forAccount: (accountId: string, plan: Plan) => Effect.Effect<IceSet>
    /**
     * The same for a caller that cannot wait: a set that takes too long is STUN only and expires at once, so that it is
     * asked for again.
     */
    readonly forWelcome: (accountId: string, plan: Plan) => Effect.Effect<IceSet>
  }
>()("hub/Ice") {
  /** STUN from the settings and TURN from the source. */
  static readonly layer = Layer.effect(Ice)(Effect.suspend(() => make))
}

const stunOnly = (urls: ReadonlyArray<string>, now: number): IceSet => ({
  iceServers: urls.map((url) => ({ urls: [url] })),
  turn: false,
  expiresAt: now + stunOnlySeconds * 1_000,
  cached: false
})

/** A set, and until when it is handed out again. */
interface ReusableSet extends IceSet {
  readonly until: number
}

type TurnSettings = Pick<Settings, "turnUrls" | "turnSecret" | "turnCloudflareKeyId" | "turnCloudflareToken">

/** The sets that the store keeps, sealed; of others than these settings none counts. */
const keptSets = (settings: TurnSettings) =>
  Effect.gen(function* () {
    const store = yield* TurnSets
    const box = yield* SecretBox
    const { turnUrls, turnSecret, turnCloudflareKeyId, turnCloudflareToken } = settings
    const words = JSON.stringify([turnUrls, turnSecret, turnCloudflareKeyId, turnCloudflareToken])
    const source = Buffer.from(box.derive("TURN source", words)).toString("base64url")
    const belongs = (accountId: string): string => `TURN servers of ${accountId}`
    const opened = (accountId: string, sealed: string) =>
      Effect.map(box.open(sealed, belongs(accountId)), (text) => JSON.parse(text) as Issued)
    return {
      find: Effect.fnUntraced(function* (accountId: string, now: number) {
        const kept = yield* store.find(accountId, source, now)
        return kept && { issued: yield* opened(accountId, kept.sealed), until: kept.until, cached: true }
      }),
      keep: Effect.fnUntraced(function* (accountId: string, issued: Issued, now: number) {
        const own = { sealed: box.seal(JSON.stringify(issued), belongs(accountId)), until: now + turnCacheMillis }
        const kept = yield* store.keep(accountId, source, own, now)
        if (kept.sealed === own.sealed) return { issued, until: own.until, cached: false }
        return { issued: yield* opened(accountId, kept.sealed), until: kept.until, cached: true }
      })
    }
  })

const keyOf = (accountId: string, plan: Plan): string => `${accountId} ${plan}`

const make = Effect.gen(function* () {
  const config = yield* Config
  const { stunUrls } = config
  const { issue } = yield* TurnSource
  const kept = yield* keptSets(config)
  const overrides = yield* TurnOverrides
  const bus = yield* Bus
  const clock = yield* Clock.Clock
  const cache = makeInvalidatingCache<ReusableSet>({
    max: turnCacheEntriesMax,
    now: () => clock.currentTimeMillisUnsafe(),
    lifeOf: ({ turn, until }) => (turn ? until - clock.currentTimeMillisUnsafe() : 0),
    dependenciesOf: () => []
  })
  const flight = singleFlight<ReusableSet, never>()
  const failures = yield* failureLog<{ readonly accountId: string; readonly cause: Cause.Cause<unknown> }>(
    yield* afterByClock,
    ({ accountId, cause }, heldBack) =>
      Effect.logWarning("TURN credentials could not be had, STUN only", { accountId, heldBack }, cause)
  )
  yield* bus.subscribe("turn_changed", cache.clear)
  // A cached set stays valid over a gap; only an override in it would be missed.
  yield* bus.gaps(cache.clear)

  const withoutTurn = (now: number): ReusableSet => ({ ...stunOnly(stunUrls, now), until: now })

  const fresh = Effect.fnUntraced(function* (accountId: string, plan: Plan) {
    const now = yield* Clock.currentTimeMillis
    if (issue === undefined || (yield* overrides.disabled(accountId, plan))) return withoutTurn(now)
    const found = yield* kept.find(accountId, now)
    const { issued, until, cached } = found ?? (yield* kept.keep(accountId, yield* issue(accountId), now))
    const iceServers = [...stunUrls.map((url) => ({ urls: [url] })), ...issued.servers]
    return { iceServers, turn: true, expiresAt: issued.expiresAt, cached, until }
  })

  const settled = (accountId: string, plan: Plan): Effect.Effect<ReusableSet> =>
    Effect.catchCause(fresh(accountId, plan), (cause) =>
      Effect.gen(function* () {
        const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
        // The failure that opened the circuit was logged: not again per caller.
        if (!(failure instanceof TurnFailed && failure.circuitOpen === true)) {
          failures.add(kindOf(cause), { accountId, cause })
        }
        return withoutTurn(yield* Clock.currentTimeMillis)
      })
    )

  /** A set that needs no wait: the cached one, or, without a TURN source, the one without TURN. */
  const atHand = (accountId: string, plan: Plan, now: number): IceSet | undefined => {
    if (issue === undefined) return stunOnly(stunUrls, now)
    const entry = cache.find(keyOf(accountId, plan))
    return entry === undefined ? undefined : { ...entry.value, cached: true }
  }

  const made = (accountId: string, plan: Plan): Effect.Effect<IceSet> => {
    const key = keyOf(accountId, plan)
    return flight.ask(key, cache.lookUp(key, settled(accountId, plan)))
  }

  const madeInTime = (accountId: string, plan: Plan): Effect.Effect<IceSet> =>
    Effect.timeoutOrElse(made(accountId, plan), {
      duration: iceWelcomeMillisMax,
      orElse: () => Effect.map(Clock.currentTimeMillis, (now) => ({ ...stunOnly(stunUrls, now), expiresAt: now }))
    })

  const atHandOr =
    (make: (accountId: string, plan: Plan) => Effect.Effect<IceSet>) =>
    (accountId: string, plan: Plan): Effect.Effect<IceSet> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const set = atHand(accountId, plan, now)
        return set === undefined ? make(accountId, plan) : Effect.succeed(set)
      })

  return Ice.of({ forAccount: atHandOr(made), forWelcome: atHandOr(madeInTime) })
})
