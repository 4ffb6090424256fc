/**
 * Ends calls that wait when the credential that allowed them ends. Owns which calls have waited for so long that their
 * credentials are watched, and how a caller is judged again; an action that runs to its end without its caller is left
 * alone, and so are streams, which watch by themselves (http/routes/event-stream.ts).
 */
import { isDeepStrictEqual } from "node:util"
import { Effect, Exit } from "effect"
import { Authenticator, type AuthFailure } from "../../src/auth/authenticator.ts"
import { CredentialWatch } from "../../src/auth/credential-watch.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { AuthForbidden, AuthInvalid, type HubError } from "../../src/errors.ts"
import { openCallLookMillis } from "../../src/limits/gate.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { bearerOf } from "./bearer.ts"
import type { RequestExchange } from "./request-exchange.ts"

interface OpenCall {
  readonly exchange: Pick<RequestExchange, "authorization" | "cancel">
  readonly principal: Principal
  readonly refuse: (failure: HubError) => void
}

/** The open calls of a node. */
export interface OpenCalls {
  /**
   * Adds a call whose action is running. When its credential ends it is refused, then its action is interrupted. What
   * this returns takes it out again, and must be called when the action is over.
   */
  readonly add: (
    exchange: OpenCall["exchange"],
    principal: Principal,
    refuse: (failure: HubError) => void
  ) => () => void
}

/** Why who comes back with `now` may not have what `before` was given; undefined: nothing speaks against it. */
const lost = (before: Principal, now: Principal): HubError | undefined => {
  for (const scope of before.scopes) if (!now.scopes.has(scope)) return new AuthForbidden({ requiredScope: scope })
  const same = before.accountId === now.accountId && isDeepStrictEqual(before.selector, now.selector)
  return same ? undefined : new AuthInvalid()
}

/** How the end of a credential is told: as the guard tells it. */
const refusalOf = (failure: AuthFailure): HubError | undefined => {
  if (failure._tag === "StoreFailed" || failure._tag === "Overloaded") return undefined
  return failure._tag === "TokenExpired" ? new AuthInvalid() : failure
}

/** Builds them. */
export const makeOpenCalls = Effect.gen(function* () {
  const timers = yield* Timers
  const { authenticate } = yield* Authenticator
  const { watch } = yield* CredentialWatch
  const run = Effect.runForkWith(yield* Effect.context<never>())
  /** Since the last look. Most are answered before the next, and cost no more than their place here. */
  const young = new Set<OpenCall>()
  const watched = new Map<OpenCall, () => void>()
  let isLooking = false

  const judge = (call: OpenCall): void => {
    const { exchange, principal, refuse } = call
    const asked = authenticate(bearerOf(exchange.authorization) ?? "")
    const judged = Effect.exit(Effect.isEffect(asked) ? asked : Effect.succeed(asked))
    run(judged).addObserver((done) => {
      if (!watched.has(call) || Exit.isFailure(done)) return
      const exit = done.value
      const failure = Exit.isSuccess(exit) ? lost(principal, exit.value) : failureOf(exit)
      if (failure === undefined) return
      const { cancel } = exchange
      refuse(failure)
      cancel?.()
    })
  }
  const failureOf = (exit: Exit.Exit<Principal, AuthFailure>): HubError | undefined => {
    const found = Exit.findErrorOption(exit)
    return found._tag === "Some" ? refusalOf(found.value) : undefined
  }
  const look = (): void => {
    isLooking = false
    for (const call of young) {
      watched.set(call, () => undefined)
      watched.set(
        call,
        watch(call.principal, () => judge(call))
      )
    }
    young.clear()
  }

  const add: OpenCalls["add"] = (exchange, principal, refuse) => {
    const call = { exchange, principal, refuse }
    young.add(call)
    if (!isLooking) {
      isLooking = true
      timers.after(openCallLookMillis, look)
    }
    return () => {
      if (young.delete(call)) return
      watched.get(call)?.()
      watched.delete(call)
    }
  }
  return { add } satisfies OpenCalls
})
