/**
 * Ends calls that wait when the credential that allowed them ends. Owns which calls have waited for so long that their
 * credentials are watched, and how a caller is judged again; an action that runs to its end without its caller is left
 * alone. Streams watch by themselves (http/routes/event-stream.ts); while the nodes do not hear each other they are
 * judged here each second, as all that waits. While the store is away no caller can be judged, and is judged later.
 */
import { isDeepStrictEqual } from "node:util"
import { Effect, Exit } from "effect"
import { Authenticator, type AuthFailure } from "../../src/auth/authenticator.ts"
import { CredentialWatch } from "../../src/auth/credential-watch.ts"
import { Bus } from "../../src/bus/bus.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { AuthForbidden, AuthInvalid, type HubError } from "../../src/errors.ts"
import { openCallLookMillis, openCallsJudgedMax } from "../../src/limits/gate.ts"
import { toEffect } from "../../src/runtime/maybe-sync.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { bearerOf } from "./bearer.ts"
import type { RequestExchange } from "./request-exchange.ts"

/** Refuses a call: it is answered. */
export type Refuse = (exchange: RequestExchange, failure: HubError) => void

/** A call whose action is running, in the list of all: most are answered soon, so one must cost next to nothing. */
export class OpenCall {
  readonly exchange: RequestExchange
  readonly principal: Principal
  /** Undefined: it is answered, by a stream. */
  readonly refuse: Refuse | undefined
  /** Ends the watch of its credential; undefined: there is none yet. */
  unwatch: (() => void) | undefined
  before: OpenCall | undefined
  behind: OpenCall | undefined

  constructor(exchange: RequestExchange, principal: Principal, refuse: Refuse | undefined) {
    this.exchange = exchange
    this.principal = principal
    this.refuse = refuse
    this.unwatch = undefined
    this.before = undefined
    this.behind = undefined
  }
}

/** The open calls of a node. */
export interface OpenCalls {
  /** Adds a call. When its credential ends it is refused, then its action is interrupted. */
  readonly add: (call: OpenCall) => void
  /** Takes it out again: its action is over. */
  readonly remove: (call: OpenCall) => void
}

/** Why who comes back with `now` may not have what `before` was given; undefined: nothing speaks against it. */
const lost = (before: Principal, now: Principal): HubError | undefined => {
  for (const scope of before.scopes) if (!now.scopes.has(scope)) return new AuthForbidden({ requiredScope: scope })
  const same = before.accountId === now.accountId && isDeepStrictEqual(before.selector, now.selector)
  return same ? undefined : new AuthInvalid()
}

/** How the end of a credential is told: as the guard tells it; "later": it is not known. */
const refusalOf = (failure: AuthFailure): HubError | "later" => {
  if (failure._tag === "StoreFailed" || failure._tag === "Overloaded") return "later"
  return failure._tag === "TokenExpired" ? new AuthInvalid() : failure
}

const notYet = (): void => undefined

export const makeOpenCalls = Effect.gen(function* () {
  const timers = yield* Timers
  const { authenticate } = yield* Authenticator
  const { watch } = yield* CredentialWatch
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let newest: OpenCall | undefined
  let isLooking = false

  /** Ends the call if it may not go on; whether that is not known. */
  const judged = (call: OpenCall): Effect.Effect<boolean> =>
    Effect.map(Effect.exit(toEffect(authenticate(bearerOf(call.exchange.authorization) ?? ""))), (exit) => {
      const failure = Exit.isSuccess(exit) ? lost(call.principal, exit.value) : failureOf(exit)
      if (call.unwatch === undefined || failure === undefined) return false
      if (failure === "later") return true
      const { exchange, refuse } = call
      const { cancel } = exchange
      refuse?.(exchange, failure)
      cancel?.()
      return false
    })
  const judge = (call: OpenCall): void => {
    run(judged(call)).addObserver((done) => {
      if (Exit.isSuccess(done) && done.value) timers.after(openCallLookMillis, () => call.unwatch && judge(call))
    })
  }
  const failureOf = (exit: Exit.Exit<Principal, AuthFailure>): HubError | "later" => {
    const found = Exit.findErrorOption(exit)
    return found._tag === "Some" ? refusalOf(found.value) : "later"
  }
  const look = (): void => {
    isLooking = false
    for (let call = newest; call !== undefined && call.unwatch === undefined; call = call.behind) {
      const own = call
      own.unwatch = notYet
      if (own.refuse === undefined) continue
      const unwatch = watch(own.principal, () => judge(own))
      // it may have ended meanwhile: the watch begins with a judgement where its credential has ended
      if (own.unwatch === undefined) unwatch()
      else own.unwatch = unwatch
    }
  }
  let isJudgingAll = false
  yield* (yield* Bus).gaps((stands) => {
    if (stands || isJudgingAll) return
    isJudgingAll = true
    const all: Array<OpenCall> = []
    for (let call = newest; call !== undefined; call = call.behind) if (call.unwatch !== undefined) all.push(call)
    const done = Effect.forEach(all, judged, { concurrency: openCallsJudgedMax, discard: true })
    run(done).addObserver(() => {
      isJudgingAll = false
    })
  })

  return {
    add: (call) => {
      call.behind = newest
      if (newest !== undefined) newest.before = call
      newest = call
      if (isLooking) return
      isLooking = true
      timers.after(openCallLookMillis, look)
    },
    remove: (call) => {
      const { before, behind } = call
      if (before === undefined) newest = behind
      else before.behind = behind
      if (behind !== undefined) behind.before = before
      call.unwatch?.()
      call.unwatch = undefined
    }
  } satisfies OpenCalls
})
