/** The routes of push subscriptions. Owns how a browser's endpoint and keys are checked and sealed. */
import { Clock, Effect, Result } from "effect"
import { hashCredential } from "../../src/auth/api-key.ts"
import { PushKey } from "../../src/auth/push-key.ts"
import { SecretBox } from "../../src/auth/secret-box.ts"
import { planLimits } from "../../src/domain/account/plans.ts"
import { newId } from "../../src/domain/ids.ts"
import { areBrowserKeys } from "../../src/domain/push/message-encryption.ts"
import { checkWebhookUrl } from "../../src/domain/webhook/webhook-url.ts"
import { AuthForbidden, NotFound, PushSubscriptionLimitReached, ValidationFailed } from "../../src/errors.ts"
import { Outbound } from "../../src/outbound/post.ts"
import { type PushSubscription, PushSubscriptions as Store } from "../../src/store/push/push-subscriptions.ts"
import type { PushSubscriptions } from "../api/push-subscriptions.ts"
import type { Routes } from "../pipeline/action.ts"
import { json } from "../pipeline/response.ts"

const wrong = (path: string, message: string) => new ValidationFailed({ issues: [{ path, message }] })

const shown = ({ id, origin, showsSubject, createdAt }: PushSubscription) => ({ id, origin, showsSubject, createdAt })

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
      if (Result.isFailure(endpoint)) return yield* wrong("endpoint", endpoint.failure)
      if (!areBrowserKeys(keys)) return yield* wrong("keys", "must be the keys of a push subscription")
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
    })
  }
  return routes
})
