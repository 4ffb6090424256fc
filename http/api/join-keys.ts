/** The contract of join keys, and of machines that enrol themselves. Owns paths and shapes; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  daemonNameCharsMax,
  hostnameCharsMax,
  joinKeyNameCharsMax,
  joinKeyUsesMax,
  machineIdCharsMax,
  removeAfterMinutesMax
} from "../../src/limits.ts"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import {
  bodyFailures,
  failures,
  idempotentFailures,
  publicFailures,
  recentLoginFailures,
  sessionFailures
} from "./failures.ts"
import { optional } from "./optional.ts"
import { millis, Name, removed, Words } from "./shapes.ts"
import { TagValues } from "./tags.ts"

const wholeUpTo = (most: number) => Schema.Int.check(Schema.isGreaterThanOrEqualTo(1), Schema.isLessThanOrEqualTo(most))

const JoinKey = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  prefix: Schema.String.annotate({ description: "The first characters of the key" }),
  tags: TagValues.annotate({ description: "Owner's tags of each daemon that joins" }),
  maxUses: Schema.NullOr(Schema.Int).annotate({ description: "Machines that may join by it; null: any number" }),
  uses: Schema.Int.annotate({ description: "Machines that have joined by it" }),
  removeAfterMinutes: Schema.NullOr(Schema.Int).annotate({
    description: "A daemon that joined is removed so long after it left; null: never"
  }),
  createdAt: millis,
  expiresAt: Schema.NullOr(millis)
}).annotate({ identifier: "JoinKey" })

const NewJoinKey = Schema.Struct({
  name: Name(joinKeyNameCharsMax).check(Schema.isMinLength(1)),
  tags: optional(TagValues, "Owner's tags of each daemon that joins"),
  maxUses: optional(wholeUpTo(joinKeyUsesMax), "1: it is good once; absent: for any number of machines"),
  expiresAt: Schema.optionalKey(Schema.NullOr(millis)),
  removeAfterMinutes: optional(
    wholeUpTo(removeAfterMinutesMax),
    "Makes the daemons ephemeral: each is removed so long after it left"
  )
}).annotate({ identifier: "NewJoinKey" })

const CreatedJoinKey = Schema.Struct({
  ...JoinKey.fields,
  key: Schema.optionalKey(Schema.String).annotate({ description: "Shown once" })
}).annotate({ identifier: "CreatedJoinKey" })

const JoinKeyList = Schema.Struct({ joinKeys: Schema.Array(JoinKey) }).annotate({ identifier: "JoinKeyList" })
const RemovedJoinKey = removed("RemovedJoinKey")

const JoiningDaemon = Schema.Struct({
  machineId: optional(
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(machineIdCharsMax)),
    "What only this machine knows, such as a random id that it keeps: asking again before it connects, it is the same daemon"
  ),
  name: optional(Name(daemonNameCharsMax), "The daemon's nickname"),
  hostname: optional(Name(hostnameCharsMax))
}).annotate({ identifier: "JoiningDaemon" })

const Joined = Schema.Struct({
  daemonId: Schema.String,
  token: Schema.String.annotate({ description: "The daemon's own; shown once" })
}).annotate({ identifier: "Joined" })

const path = "/api/v1/join-keys"
const ofAdmin = {
  kind: "session",
  role: "admin",
  recent: true,
  onHangUp: "finish",
  bodyBytes: 65_536
} as const

/** `/api/v1/join-keys`, `/api/v1/daemons/join`. */
export const JoinKeys = HttpApiGroup.make("joinKeys")
  .annotateMerge(
    OpenApi.annotations({ description: "Join keys: machines that enrol themselves, without one call per machine." })
  )
  .add(
    HttpApiEndpoint.get("list", path, { success: JoinKeyList, error: failures(...sessionFailures) })
      .annotate(Words, ["List join keys", "Newest first. One that expired is listed for 7 days."])
      .annotateMerge(access({ kind: "session", role: "admin", onHangUp: "cancel" })),
    HttpApiEndpoint.post("create", path, {
      payload: NewJoinKey,
      success: CreatedJoinKey.pipe(HttpApiSchema.status(201)),
      error: failures(...recentLoginFailures, ...bodyFailures, ...idempotentFailures, "JoinKeyLimitReached")
    })
      .annotateMerge(answers({ headers: ["Cache-Control"] }))
      .annotate(Words, ["Create a join key", "The key is shown once."])
      .annotateMerge(access({ ...ofAdmin, secrets: ["key"], audits: "join_key.created" })),
    HttpApiEndpoint.delete("remove", `${path}/:joinKeyId`, {
      params: { joinKeyId: Schema.String.annotate({ description: "Id of a join key of this account" }) },
      success: RemovedJoinKey,
      error: failures(...recentLoginFailures, "NotFound")
    })
      .annotate(Words, ["Revoke a join key", "It takes no new machine. Those that joined by it stay."])
      .annotateMerge(access({ ...ofAdmin, audits: "join_key.removed" })),
    HttpApiEndpoint.post("join", "/api/v1/daemons/join", {
      headers: { authorization: Schema.optionalKey(Schema.String) },
      payload: JoiningDaemon,
      success: Joined.pipe(HttpApiSchema.status(201)),
      error: failures(
        ...publicFailures,
        ...bodyFailures,
        "AuthRequired",
        "AuthInvalid",
        "AccountDisabled",
        "DaemonLimitReached"
      )
    })
      .annotateMerge(answers({ headers: ["Cache-Control"] }))
      .annotate(Words, [
        "Join as a daemon",
        "Gives this machine a daemon and its token. A `machineId` that asks again before it has connected is the same daemon with a new token, and the earlier token has ended. Over the plan's daemons: 403 `DAEMON_LIMIT_REACHED`."
      ])
      .annotateMerge(access({ kind: "joinKey", onHangUp: "finish", bodyBytes: 16_384, audits: "daemon.enrolled" }))
  )
