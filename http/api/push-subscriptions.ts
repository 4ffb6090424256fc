/** The contract of push subscriptions: the browsers that are told of questions. Owns paths and shapes. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { pushKeyCharsMax } from "../../src/limits/push.ts"
import { access } from "./access.ts"
import { bodyFailures, failures, sessionFailures } from "./failures.ts"
import { optional } from "./optional.ts"
import { millis } from "./shapes.ts"

const key = Schema.String.check(Schema.isMaxLength(pushKeyCharsMax))

const NewSubscription = Schema.Struct({
  endpoint: Schema.String.annotate({ description: "Where its push service takes messages" }),
  keys: Schema.Struct({
    p256dh: key.annotate({ description: "Its public key, in base64url" }),
    auth: key.annotate({ description: "Its secret, in base64url" })
  }),
  showsSubject: optional(Schema.Boolean, "Whether what a question is about is sent with its title; absent: it is not")
}).annotate({ identifier: "NewPushSubscription" })

const Subscription = Schema.Struct({
  id: Schema.String,
  origin: Schema.String.annotate({ description: "Of its push service" }),
  showsSubject: Schema.Boolean,
  createdAt: millis
}).annotate({ identifier: "PushSubscription" })

const SubscriptionList = Schema.Struct({
  publicKey: Schema.String.annotate({ description: "The `applicationServerKey` that a browser subscribes with" }),
  subscriptions: Schema.Array(Subscription)
}).annotate({ identifier: "PushSubscriptionList" })

const Removed = Schema.Struct({ success: Schema.Literal(true), id: Schema.String }).annotate({
  identifier: "RemovedPushSubscription"
})

const words = (summary: string, description: string) => OpenApi.annotations({ summary, description })
const path = "/api/v1/push-subscriptions"
const change = { kind: "session", onHangUp: "finish" } as const

/** `/api/v1/push-subscriptions`. */
export const PushSubscriptions = HttpApiGroup.make("pushSubscriptions")
  .annotateMerge(OpenApi.annotations({ description: "Browsers that take push messages (RFC 8030)." }))
  .add(
    HttpApiEndpoint.get("list", path, { success: SubscriptionList, error: failures(...sessionFailures) })
      .annotateMerge(words("List your browsers", "Those of who calls, in this account, the oldest first."))
      .annotateMerge(access({ kind: "session", role: "viewer", onHangUp: "cancel" })),
    HttpApiEndpoint.post("add", path, {
      payload: NewSubscription,
      success: Subscription.pipe(HttpApiSchema.status(201)),
      error: failures(...sessionFailures, ...bodyFailures, "PushSubscriptionLimitReached")
    })
      .annotateMerge(
        words(
          "Add a browser",
          "Takes `endpoint` and `keys` of what `PushSubscription.toJSON()` of a browser gives. One of the same endpoint is replaced; of more than ten of a person the oldest is removed."
        )
      )
      .annotateMerge(
        access({ ...change, role: "operator", idempotent: false, bodyBytes: 16_384, audits: "push_subscription.added" })
      ),
    HttpApiEndpoint.delete("remove", `${path}/:pushSubscriptionId`, {
      params: { pushSubscriptionId: Schema.String.annotate({ description: "Id of a browser of who calls" }) },
      success: Removed,
      error: failures(...sessionFailures, "NotFound")
    })
      .annotateMerge(words("Remove a browser", "It is sent nothing more."))
      .annotateMerge(access({ ...change, role: "viewer", audits: "push_subscription.removed" }))
  )
