/** The contract of API keys. Owns paths and shapes; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { scopes } from "../../src/domain/account/scopes.ts"
import { listPageMax } from "../../src/limits.ts"
import { access } from "./access.ts"
import { bodyFailures, failures, idempotentFailures, recentLoginFailures, sessionFailures } from "./failures.ts"
import { optionalWord } from "./optional.ts"
import { millis, Name, nextCursor, pageQuery, Scopes, Words } from "./shapes.ts"

/** A key as its owner sees it: never the key itself. */
export const KeyRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  prefix: Schema.String.annotate({ description: "The first characters of the key" }),
  scopes: Schema.Array(Schema.Literals(scopes)),
  createdAt: millis,
  lastUsedAt: Schema.NullOr(millis).annotate({ description: "To the minute" }),
  expiresAt: Schema.NullOr(millis),
  revokedAt: Schema.NullOr(millis),
  selector: Schema.NullOr(Schema.String).annotate({
    description: "The daemons that it is bound to, by their tags; null: all of the account"
  }),
  owner: Schema.NullOr(
    Schema.Struct({ kind: Schema.Literals(["person", "service_account"]), id: Schema.String }).annotate({
      identifier: "KeyOwner"
    })
  ).annotate({ description: "Whose it is: it may never more than they may, and ends with them. null: the account's" })
}).annotate({ identifier: "ApiKey" })

const NewKey = Schema.Struct({
  name: Name(100).check(Schema.isMinLength(1)),
  scopes: Scopes,
  expiresAt: Schema.optionalKey(Schema.NullOr(millis)),
  selector: optionalWord(
    Schema.String,
    "Binds the key to the daemons with these tags; for it there are no others. Not with `webhook:manage` or `registry:publish`"
  )
}).annotate({ identifier: "NewApiKey" })

/** A key when it is made. */
export const CreatedKey = Schema.Struct({
  ...KeyRecord.fields,
  key: Schema.optionalKey(Schema.String).annotate({ description: "Shown once" })
}).annotate({ identifier: "CreatedApiKey" })

const KeyList = Schema.Struct({ apiKeys: Schema.Array(KeyRecord), nextCursor }).annotate({ identifier: "ApiKeyList" })
const RevokedKey = Schema.Struct({
  success: Schema.Literal(true),
  id: Schema.String,
  cancelledJobs: Schema.Array(Schema.String).annotate({
    description: "Ids of the jobs that the key had started and that were under way: they send nothing more"
  })
}).annotate({ identifier: "RevokedApiKey" })

/** `/api/v1/api-keys`. */
export const Keys = HttpApiGroup.make("keys")
  .annotateMerge(OpenApi.annotations({ description: "API keys: the credentials of programs." }))
  .add(
    HttpApiEndpoint.get("list", "/api/v1/api-keys", {
      query: pageQuery(listPageMax, "which it is when absent"),
      success: KeyList,
      error: failures(...sessionFailures, "ValidationFailed")
    })
      .annotate(Words, [
        "The account's API keys that are not revoked, newest first",
        "Below an administrator a member sees their own."
      ])
      .annotateMerge(access({ kind: "session", role: "viewer", onHangUp: "cancel" })),
    HttpApiEndpoint.post("create", "/api/v1/api-keys", {
      payload: NewKey,
      success: CreatedKey.pipe(HttpApiSchema.status(201)),
      error: failures(
        ...recentLoginFailures,
        ...bodyFailures,
        ...idempotentFailures,
        "AuthForbidden",
        "ApiKeyLimitReached"
      )
    })
      .annotate(Words, [
        "Create an API key; the key is shown once",
        "It is that of the person who makes it, and has no scope and no daemon that they have not. Over the plan's keys: 403 `API_KEY_LIMIT_REACHED`."
      ])
      .annotateMerge(
        access({
          kind: "any",
          role: "viewer",
          recent: true,
          onHangUp: "finish",
          bodyBytes: 16_384,
          secrets: ["key"],
          audits: "key.created"
        })
      ),
    HttpApiEndpoint.delete("revoke", "/api/v1/api-keys/:keyId", {
      params: { keyId: Schema.String.annotate({ description: "Id of an API key of this account" }) },
      success: RevokedKey,
      error: failures(...recentLoginFailures, "NotFound")
    })
      .annotate(Words, [
        "Revoke an API key, in force on every node within a second",
        "Calls that wait, and streams, end with 401 within two seconds; jobs that it started are cancelled."
      ])
      .annotateMerge(access({ kind: "any", role: "viewer", recent: true, onHangUp: "finish", audits: "key.revoked" }))
  )
