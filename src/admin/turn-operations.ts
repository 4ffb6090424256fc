/** The administrator's operations for TURN: disables it for an account or a plan, and enables it again. */
import { Clock, Effect } from "effect"
import { Bus } from "../bus/bus.ts"
import { type TurnOverride, TurnOverrides } from "../store/accounts/turn-overrides.ts"
import { account, Refused, type Request } from "./operation.ts"

/** Whom a TURN operation concerns. */
export const turnOf = Effect.fnUntraced(function* (request: Request<"turn disable"> | Request<"turn enable">) {
  if ((request.account === undefined) === (request.plan === undefined)) {
    return yield* new Refused({ sentence: "name either an account or a plan" })
  }
  if (request.plan !== undefined) return { kind: "plan", name: request.plan } as const
  return { kind: "account", name: (yield* account(request.account!)).id } as const
})

/** Disables TURN; the answer of an operation. */
export const disableTurn = Effect.fnUntraced(function* (of: TurnOverride) {
  yield* (yield* TurnOverrides).disable(of, yield* Clock.currentTimeMillis)
  ;(yield* Bus).publish("turn_changed", {})
  return { ...of, turn: false }
})

export const enableTurn = Effect.fnUntraced(function* (of: TurnOverride) {
  yield* (yield* TurnOverrides).enable(of)
  ;(yield* Bus).publish("turn_changed", {})
  return { ...of, turn: true }
})

/** Accounts and plans for which TURN is disabled. */
export const listTurn = Effect.fnUntraced(function* () {
  const rows = yield* (yield* TurnOverrides).list
  return { turnDisabled: rows.map((row) => ({ ...row, since: new Date(row.since).toISOString() })) }
})
