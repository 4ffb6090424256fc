/**
 * The contract of the authorization of devices (RFC 8628 in the hub's own shapes): a program without a key shows a
 * code, a signed-in person allows it, and the program gets an API key. Owns paths and shapes; answers nothing.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { scopes } from "../../src/domain/account/scopes.ts"
import { deviceCodeMillis, deviceNameCharsMax, devicePollSeconds } from "../../src/limits.ts"
import { access } from "./access.ts"
import { bodyFailures, failures, publicFailures, recentLoginFailures, sessionFailures } from "./failures.ts"
import { KeyRecord } from "./keys.ts"
import { optional } from "./optional.ts"
import { millis, Scopes, Words } from "./shapes.ts"

const typed = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(32))
const UserCode = { userCode: typed.annotate({ description: "As the device shows it, in whatever case: `WDJB-MJHT`" }) }
const uri = "; relative to the hub's address where HUB_PUBLIC_URL is not set"

const Begin = Schema.Struct({
  name: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(deviceNameCharsMax)).annotate({
    description: "Names the device to its person, and the key"
  }),
  scopes: Scopes.annotate({ description: "What the key is to allow; its person may allow less" })
}).annotate({ identifier: "NewDevice" })

const Begun = Schema.Struct({
  deviceCode: Schema.String.annotate({ description: "For the device's polls; a secret" }),
  userCode: Schema.String.annotate({ description: "For its person: `WDJB-MJHT`" }),
  verificationUri: Schema.String.annotate({ description: `Where the person goes${uri}` }),
  verificationUriComplete: Schema.String.annotate({ description: `The same with the code${uri}` }),
  expiresIn: Schema.Int.annotate({ description: `Seconds: ${deviceCodeMillis / 1_000}` }),
  interval: Schema.Int.annotate({ description: `Seconds between two polls, at least: ${devicePollSeconds}` })
}).annotate({ identifier: "BegunDevice" })

const Poll = Schema.Struct({
  deviceCode: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128))
}).annotate({ identifier: "DevicePoll" })

const DeviceKey = Schema.Struct({
  ...KeyRecord.fields,
  key: Schema.String.annotate({ description: "Shown once" }),
  joinKey: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Shown once, where its person allowed one: a machine that joins by it is removed a minute after it left"
    })
  )
}).annotate({ identifier: "DeviceApiKey" })

const Typed = Schema.Struct(UserCode).annotate({ identifier: "UserCode" })
const Approval = Schema.Struct({
  ...UserCode,
  scopes: optional(Scopes, "Those of the scopes that it asks for that it gets; all when left out"),
  joinKey: optional(Schema.Boolean, "Whether it also gets a join key, for machines that demonstrate (`hub trigger`)")
}).annotate({ identifier: "DeviceApproval" })

const Waiting = Schema.Struct({
  name: Schema.String.annotate({ description: "In the device's own words" }),
  scopes: Schema.Array(Schema.Literals(scopes)),
  createdAt: millis,
  expiresAt: millis
}).annotate({ identifier: "WaitingDevice" })

const Done = Schema.Struct({ success: Schema.Literal(true) }).annotate({ identifier: "DeviceDecided" })

const bodyBytes = 16_384
const ofPerson = { kind: "session", role: "viewer", idempotent: false, bodyBytes } as const
const path = "/api/v1/auth/device" as const

/** `/api/v1/auth/device/…`. */
export const DeviceCodes = HttpApiGroup.make("deviceCodes")
  .annotateMerge(
    OpenApi.annotations({ description: "API keys for programs whose person signs in elsewhere (after RFC 8628)." })
  )
  .add(
    HttpApiEndpoint.post("begin", path, {
      payload: Begin,
      success: Begun,
      error: failures(...publicFailures, ...bodyFailures, "AuthForbidden")
    })
      .annotate(Words, ["Ask for an API key that a person allows elsewhere"])
      .annotateMerge(
        access({ kind: "public", signIn: true, idempotent: false, bodyBytes, onHangUp: "finish", audits: false })
      ),
    HttpApiEndpoint.post("token", `${path}/token`, {
      payload: Poll,
      success: DeviceKey.pipe(HttpApiSchema.status(201)),
      error: failures(
        ...publicFailures,
        ...bodyFailures,
        ...(["AuthorizationPending", "SlowDown", "ExpiredToken", "AccessDenied"] as const),
        ...(["AuthForbidden", "ApiKeyLimitReached"] as const)
      )
    })
      .annotate(Words, [
        "Poll for the key, which is shown once",
        "400 `AUTHORIZATION_PENDING` until its person has decided: ask again after `retryAfter` seconds. Sooner it is 400 `SLOW_DOWN`, and `retryAfter` longer from then on. 400 `ACCESS_DENIED` and 400 `EXPIRED_TOKEN` are the end. Over the plan's keys: 403 `API_KEY_LIMIT_REACHED`, and another poll once there is room."
      ])
      .annotateMerge(
        access({ kind: "public", idempotent: false, bodyBytes, onHangUp: "finish", audits: "key.created" })
      ),
    HttpApiEndpoint.post("show", `${path}/show`, {
      payload: Typed,
      success: Waiting,
      error: failures(...sessionFailures, ...bodyFailures, "NotFound")
    })
      .annotate(Words, ["The device that shows a code, before it is allowed", "Wrong codes are limited by account."])
      .annotateMerge(access({ ...ofPerson, onHangUp: "cancel", audits: false })),
    HttpApiEndpoint.post("approve", `${path}/approve`, {
      payload: Approval,
      success: Done,
      error: failures(...recentLoginFailures, ...bodyFailures, "NotFound")
    })
      .annotate(Words, ["Allow the device that shows a code a key of this account", "Once, as the owner's own key."])
      .annotateMerge(
        access({
          kind: "any",
          role: "viewer",
          recent: true,
          idempotent: false,
          bodyBytes,
          onHangUp: "finish",
          audits: "device.approved"
        })
      ),
    HttpApiEndpoint.post("deny", `${path}/deny`, {
      payload: Typed,
      success: Done,
      error: failures(...sessionFailures, ...bodyFailures, "NotFound")
    })
      .annotate(Words, ["Refuse it"])
      .annotateMerge(access({ ...ofPerson, onHangUp: "finish", audits: "device.denied" }))
  )
