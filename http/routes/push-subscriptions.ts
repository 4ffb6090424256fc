/**
 * The routes of push subscriptions. Owns how a browser's endpoint and keys are checked and sealed, and as whom the
 * token of a message answers.
 */
import { Clock, Effect, Result } from "effect"
import { hashCredential } from "../../src/auth/api-key.ts"
import { pushTokens } from "../../src/auth/checksummed-token.ts"
import { PushKey } from "../../src/auth/push-key.ts"
import { SecretBox } from "../../src/auth/secret-box.ts"
import { boundTo } from "../../src/domain/account/member.ts"
import { planLimits } from "../../src/domain/account/plans.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { isAtLeast, sessionScopesOf } from "../../src/domain/account/roles.ts"
import type { Selector } from "../../src/domain/daemon/selector.ts"
import { newId } from "../../src/domain/ids.ts"
import { areBrowserKeys } from "../../src/domain/push/message-encryption.ts"
import { checkWebhookUrl } from "../../src/domain/webhook/webhook-url.ts"
import { AuthForbidden, invalid, NotFound, PushSubscriptionLimitReached, RoleTooLow } from "../../src/errors.ts"
import { Outbound } from "../../src/outbound/post.ts"
import { type PushAnswer, PushAnswers } from "../../src/store/push/push-answers.ts"
import { type PushSubscription, PushSubscriptions as Store } from "../../src/store/push/push-subscriptions.ts"
import type { PushSubscriptions } from "../api/push-subscriptions.ts"
import type { Routes } from "../pipeline/action.ts"
import { json, Sending } from "../pipeline/response.ts"
import { approvalAnswers } from "./approvals.ts"

const shown = ({ id, origin, showsSubject, createdAt }: PushSubscription) => ({ id, origin, showsSubject, createdAt })

/** A push service has TLS; one on this computer needs none, where the operator has opened its address. */
const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || hostname === "127.0.0.1" || hostname === "[::1]"

/** The person of a token, as they are a member now. */
const principalOf = (
  { accountId, personId, plan, role, subscriptionId }: PushAnswer,
  selector?: Selector
): Principal => ({
  accountId,
  person: personId,
  role,
  plan,
  admin: false,
  scopes: sessionScopesOf(role, false),
  ...(selector !== undefined && { selector }),
  credential: { kind: "session", sessionId: subscriptionId, expiresAt: 0 }
})

/** The answer by a token, which is good no more from here on, whatever becomes of it. */
const answering = Effect.gen(function* () {
  const store = yield* PushAnswers
  const answer = yield* approvalAnswers
  const notGood = new NotFound({ what: "question that this token answers" })

  const route: Routes<typeof PushSubscriptions>["answer"] = Effect.fnUntraced(function* ({ payload: { token } }) {
    const now = yield* Clock.currentTimeMillis
    const taken = pushTokens.isValid(token) ? yield* store.take(hashCredential(token), now) : undefined
    if (taken === undefined) return yield* notGood
    if (!isAtLeast(taken.role, "operator")) return yield* new RoleTooLow({ requiredRole: "operator" })
    const selector = boundTo([taken.selector])
    if (selector === "unreadable") return yield* notGood
    const principal = principalOf(taken, selector)
    const sending = yield* answer(principal, taken.approvalId, { decision: taken.decision })
    return new Sending(sending.command, sending.answer, principal)
  })
  return route
})

/** The routes of `PushSubscriptions`. */
export const pushSubscriptionRoutes = Effect.gen(function* () {
  const store = yield* Store
  const secretBox = yield* SecretBox
  const outbound = yield* Outbound
  const pushKey = yield* PushKey
  const routes: Routes<typeof PushSubscriptions> = {
    list: Effect.fnUntraced(function* ({ principal: { accountId, person = "" } }) {
      const { publicKey } = yield* pushKey.signer
      return { publicKey, subscriptions: (yield* store.list(accountId, person)).map(shown) }
    }),

    add: Effect.fnUntraced(function* ({ principal: { accountId, person, plan }, payload }) {
      if (person === undefined) return yield* new AuthForbidden({})
      const { keys, showsSubject = false } = payload
      const endpoint = checkWebhookUrl(payload.endpoint, outbound.allowed)
      if (Result.isFailure(endpoint)) return yield* invalid("endpoint", endpoint.failure)
      if (!isSafe(new URL(endpoint.success))) return yield* invalid("endpoint", "must be https")
      if (!areBrowserKeys(keys)) return yield* invalid("keys", "must be the keys of a push subscription")
      const id = newId("pushSubscription")
      const text = JSON.stringify({ endpoint: endpoint.success, p256dh: keys.p256dh, auth: keys.auth })
      const draft = {
        id,
        personId: person,
        endpointHash: hashCredential(endpoint.success),
        origin: new URL(endpoint.success).origin,
        sealed: secretBox.seal(text, id),
        showsSubject,
        createdAt: yield* Clock.currentTimeMillis
      }
      if (yield* store.add(accountId, plan, draft)) return json(201, shown(draft))
      return yield* new PushSubscriptionLimitReached({ limit: planLimits[plan].pushSubscriptions, plan })
    }),

    remove: Effect.fnUntraced(function* ({
      principal: { accountId, person = "" },
      params: { pushSubscriptionId: id }
    }) {
      if (!(yield* store.remove(accountId, person, id))) return yield* new NotFound()
      return { success: true as const, id }
    }),

    answer: yield* answering
  }
  return routes
})
