/** The contract of API keys. Owns paths and shapes; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { scopes } from "../../src/domain/account/scopes.ts"
import { listPageMax } from "../../src/limits.ts"
import { access } from "./access.ts"

const millis = Schema.Int.annotate({ description: "Epoch milliseconds" })

/** A key as its owner sees it: never the key itself. */
export const KeyRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  prefix: Schema.String.annotate({ description: "The first characters of the key" }),
  scopes: Schema.Array(Schema.Literals(scopes)),
  createdAt: millis,
  lastUsedAt: Schema.NullOr(millis).annotate({ description: "To the minute" }),
  expiresAt: Schema.NullOr(millis),
  revokedAt: Schema.NullOr(millis)
}).annotate({ identifier: "ApiKey" })

const NewKey = Schema.Struct({
  name: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100)),
  scopes: Schema.Array(Schema.Literals(scopes)).check(Schema.isMinLength(1), Schema.isMaxLength(scopes.length)),
  expiresAt: Schema.optionalKey(Schema.NullOr(millis))
}).annotate({ identifier: "NewApiKey" })

const CreatedKey = Schema.Struct({
  ...KeyRecord.fields,
  key: Schema.optionalKey(Schema.String).annotate({ description: "Shown once" })
}).annotate({ identifier: "CreatedApiKey" })

/** `/api/v1/api-keys`. */
export const Keys = HttpApiGroup.make("keys").add(
  HttpApiEndpoint.get("list", "/api/v1/api-keys", {
    query: {
      limit: Schema.optionalKey(Schema.String).annotate({
        description: `1 to ${listPageMax}, which it is when absent`
      }),
      cursor: Schema.optionalKey(Schema.String).annotate({ description: "The `nextCursor` of the page before" })
    },
    success: Schema.Struct({
      apiKeys: Schema.Array(KeyRecord),
      nextCursor: Schema.optionalKey(Schema.String).annotate({ description: "Absent on the last page" })
    })
  })
    .annotateMerge(OpenApi.annotations({ summary: "The account's API keys that are not revoked, newest first" }))
    .annotateMerge(access({ kind: "session" })),
  HttpApiEndpoint.post("create", "/api/v1/api-keys", {
    payload: NewKey,
    success: CreatedKey.pipe(HttpApiSchema.status(201))
  })
    .annotateMerge(
      OpenApi.annotations({
        summary: "Create an API key; the key is shown once",
        description: "Over the plan's keys: 403 `API_KEY_LIMIT_REACHED`."
      })
    )
    .annotateMerge(access({ kind: "any", recent: true, bodyBytes: 16_384, secrets: ["key"] })),
  HttpApiEndpoint.delete("revoke", "/api/v1/api-keys/:keyId", {
    params: { keyId: Schema.String },
    success: Schema.Struct({ success: Schema.Literal(true), id: Schema.String })
  })
    .annotateMerge(OpenApi.annotations({ summary: "Revoke an API key, in force on every node within a second" }))
    .annotateMerge(access({ kind: "any", recent: true }))
)
