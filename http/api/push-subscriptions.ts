/** The contract of push subscriptions: browsers that are told of questions and answer them. Owns the shapes. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { pushKeyCharsMax, pushTokenCharsMax } from "../../src/limits/push.ts"
import { access } from "./access.ts"
import { ApprovalAnswered } from "./approvals.ts"
import { bodyFailures, commandFailures, failures, publicFailures, sessionFailures } from "./failures.ts"
import { optional } from "./optional.ts"
import { millis, removed, Words } from "./shapes.ts"

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

const Removed = removed("RemovedPushSubscription")

const PushAnswer = Schema.Struct({
  token: Schema.String.check(Schema.isMaxLength(pushTokenCharsMax)).annotate({
    description: "That of the decision, of the message's `answers`"
  })
}).annotate({ identifier: "PushAnswer" })

const path = "/api/v1/push-subscriptions"
const change = { kind: "session", onHangUp: "finish" } as const

/** `/api/v1/push-subscriptions`, `/api/v1/push-answers`. */
export const PushSubscriptions = HttpApiGroup.make("pushSubscriptions")
  .annotateMerge(OpenApi.annotations({ description: "Browsers that take push messages (RFC 8030)." }))
  .add(
    HttpApiEndpoint.get("list", path, { success: SubscriptionList, error: failures(...sessionFailures) })
      .annotate(Words, ["List your browsers", "Those of who calls, in this account, the oldest first."])
      .annotateMerge(access({ kind: "session", role: "viewer", onHangUp: "cancel" })),
    HttpApiEndpoint.post("add", path, {
      payload: NewSubscription,
      success: Subscription.pipe(HttpApiSchema.status(201)),
      error: failures(...sessionFailures, ...bodyFailures, "PushSubscriptionLimitReached")
    })
      .annotate(Words, [
        "Add a browser",
        "Takes `endpoint` and `keys` of what `PushSubscription.toJSON()` of a browser gives. One of the same endpoint is replaced; of more than ten of a person the oldest is removed."
      ])
      .annotateMerge(
        access({ ...change, role: "operator", idempotent: false, bodyBytes: 16_384, audits: "push_subscription.added" })
      ),
    HttpApiEndpoint.delete("remove", `${path}/:pushSubscriptionId`, {
      params: { pushSubscriptionId: Schema.String.annotate({ description: "Id of a browser of who calls" }) },
      success: Removed,
      error: failures(...sessionFailures, "NotFound")
    })
      .annotate(Words, ["Remove a browser", "It is sent nothing more."])
      .annotateMerge(access({ ...change, role: "viewer", audits: "push_subscription.removed" })),
    HttpApiEndpoint.post("answer", "/api/v1/push-answers", {
      payload: PushAnswer,
      success: ApprovalAnswered,
      error: failures(
        ...publicFailures,
        ...bodyFailures,
        ...commandFailures,
        "RoleTooLow",
        "PromptChanged",
        "AlreadyResolved"
      )
    })
      .annotate(Words, [
        "Answer a question by a push message",
        "Needs no credential: the token of a message answers its one question in one way, once and within 15 minutes, as the person whose browser it was sent to, as far as they may by now. A token that is unknown, used or over is 404."
      ])
      .annotateMerge(
        access({
          kind: "public",
          idempotent: false,
          tool: false,
          bodyBytes: 16_384,
          onHangUp: "finish",
          audits: "command.sent"
        })
      )
  )
