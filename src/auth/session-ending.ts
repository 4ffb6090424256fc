/** Ends dashboard sessions: by log-out, or because a replaced token was used. Owns that every node learns of it. */
import { Clock, Effect } from "effect"
import { Bus } from "../bus/bus.ts"
import type { Principal } from "../domain/account/principal.ts"
import { AuthForbidden, type TokenReplaced } from "../errors.ts"
import { Sessions } from "../store/accounts/sessions.ts"

/** When a person signed in, epoch seconds; undefined: unknown, and so never recent. */
export type LoginTime = number | undefined

/** Its stored form (milliseconds). */
export const storedTime = (seconds: LoginTime): number | null => (seconds === undefined ? null : seconds * 1_000)

/** The login time from its stored form (milliseconds). */
export const loginTimeOf = (millis: number | null): LoginTime => (millis === null ? undefined : millis / 1_000)

/** Ends sessions, and tells every node. */
export const makeEnding = Effect.gen(function* () {
  const store = yield* Sessions
  const bus = yield* Bus
  const clock = yield* Clock.Clock
  const now = (): number => clock.currentTimeMillisUnsafe()

  const endSession = Effect.fnUntraced(function* (sessionId: string) {
    const ended = yield* store.end(sessionId, now())
    bus.publish("session_ended", { sessionId })
    return ended
  })

  /**
   * Only the newest token may refresh or log out, and a replaced one was used: two parties hold tokens of one login,
   * and the hub cannot tell which is the thief.
   */
  const replayed = Effect.fnUntraced(function* ({ accountId, sessionId }: TokenReplaced) {
    if (!(yield* endSession(sessionId))) return
    yield* Effect.logWarning(
      "a session is ended: a token of it was used to refresh or to log out after its own refresh",
      { account: accountId, session: sessionId }
    )
  })

  const end = Effect.fnUntraced(function* ({ accountId, person, credential }: Principal) {
    if (credential.kind !== "session") return yield* new AuthForbidden({})
    const { sessionId: id, authTime, expiresAt } = credential
    if (yield* endSession(id)) return
    // Another issuer's token has no row: the store gets one that says it ended, for as long as the token could live.
    const endedAt = now()
    const of = { accountId, ...(person !== undefined && { personId: person }) }
    yield* store.recordEnded({ id, ...of, authTime: storedTime(authTime), createdAt: endedAt, expiresAt }, endedAt)
    bus.publish("session_ended", { sessionId: id })
  })

  const endOthers = Effect.fnUntraced(function* ({ accountId, person, credential }: Principal) {
    if (credential.kind !== "session" || person === undefined) return yield* new AuthForbidden({})
    const ended = yield* store.endAll({ accountId, personId: person }, now(), credential.sessionId)
    for (const sessionId of ended) bus.publish("session_ended", { sessionId })
    return ended.length
  })

  return { end, endOthers, replayed }
})
