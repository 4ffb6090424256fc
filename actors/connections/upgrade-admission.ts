/**
 * Admits a socket whose token comes with the upgrade. Owns the check before the upgrade (how many at a time, whose
 * token, the connect throttle), and which sockets are wide: these take a result that is too large, so that it fails its
 * command alone.
 */
import { Cause, type Effect, Exit, type Fiber, Option } from "effect"
import { makeSlotLimit } from "../../src/domain/limits/slot-limit.ts"
import { AccountDisabled, AuthInvalid, Overloaded, StoreFailed, TokenRevoked } from "../../src/errors.ts"
import {
  upgradesInCheckMax,
  upgradesInCheckPerAddressMax,
  upgradesInCheckShareOfFree,
  wideSocketsMax,
  wideSocketsPerAccountMax
} from "../../src/limits/sockets.ts"
import { disabledAwayMillis } from "../../src/protocol/close.ts"
import type { TokenOwner } from "../../src/store/daemons/daemons.ts"

/** A token that was found good before the upgrade. */
export interface UpgradePass {
  readonly token: string
  /** Whether its socket is a wide one. */
  readonly wide: boolean
  /** Its socket is closed, or never came. */
  readonly end: () => void
}

/** Why there is no upgrade. */
export type Refused = AuthInvalid | TokenRevoked | AccountDisabled | Overloaded | StoreFailed

/** Takes a connection of this daemon now: undefined, or after how many milliseconds to come back. */
export type Throttle = (daemonId: string) => number | undefined

/** What the admission needs. */
export interface AdmissionNeeds {
  readonly owner: (token: string) => Effect.Effect<TokenOwner | undefined, LookUpFailure>
  readonly throttle: Throttle
  /** After how many milliseconds one comes back that finds too many tokens being looked up. */
  readonly busyMillis: () => number
  readonly run: (effect: Effect.Effect<TokenOwner | undefined, LookUpFailure>) => LookUp
}

type LookUpFailure = Overloaded | StoreFailed
type LookUp = Fiber.Fiber<TokenOwner | undefined, LookUpFailure>

const nothing = (): void => {}

/** A defect in the look-up is in the log; the caller may try again. */
const failureOf = (cause: Cause.Cause<LookUpFailure>): LookUpFailure =>
  Option.getOrElse(Cause.findErrorOption(cause), () => new StoreFailed({ operation: "check a daemon's token", cause }))

/** In whole seconds, as HTTP has it, and exactly for a client that reads it. */
const after = (millis: number) => ({ retryAfter: Math.ceil(millis / 1_000), retryAfterMillis: millis })

/** The refusal of one that may come back after so long. */
export const overloadedFor = (millis: number): Overloaded => new Overloaded(after(millis))

const disabled = (daemonId: string): AccountDisabled => new AccountDisabled(after(disabledAwayMillis(daemonId)))

export const makeUpgradeAdmission = ({ owner, throttle, busyMillis, run }: AdmissionNeeds) => {
  const checks = makeSlotLimit(upgradesInCheckMax, upgradesInCheckPerAddressMax, upgradesInCheckShareOfFree)
  const wide = makeSlotLimit(wideSocketsMax, wideSocketsPerAccountMax)

  const judged = (token: string, found: TokenOwner | undefined): UpgradePass | Refused => {
    if (found === undefined) return new AuthInvalid()
    if (found.revoked) return new TokenRevoked()
    if (found.accountDisabled) return disabled(found.daemonId)
    const retryAfterMillis = throttle(found.daemonId)
    if (retryAfterMillis !== undefined) return overloadedFor(retryAfterMillis)
    const place = wide.acquire(found.accountId)
    return { token, wide: place !== undefined, end: place ?? nothing }
  }

  return {
    /** Checks a token; `then` is called once, unless the returned function cancels the check. */
    check: (token: string, address: string, then: (outcome: UpgradePass | Refused) => void): (() => void) => {
      const place = checks.acquire(address)
      if (place === undefined) {
        then(overloadedFor(busyMillis()))
        return nothing
      }
      let over = false
      const fiber = run(owner(token))
      fiber.addObserver((exit) => {
        place()
        if (over) return
        over = true
        then(Exit.isSuccess(exit) ? judged(token, exit.value) : failureOf(exit.cause))
      })
      return () => {
        over = true
        fiber.interruptUnsafe()
      }
    }
  }
}

/** The admission at the upgrade. */
export type UpgradeAdmission = ReturnType<typeof makeUpgradeAdmission>
