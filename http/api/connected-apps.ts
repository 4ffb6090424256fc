/**
 * The contract of connected apps: programs that a person lets in by OAuth. Owns paths and shapes of what a person sees
 * and decides; what the programs themselves call is http/oauth's.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { scopes } from "../../src/domain/account/scopes.ts"
import { authorizationQueryCharsMax } from "../../src/limits/oauth.ts"
import { access } from "./access.ts"
import { bodyFailures, failures, recentLoginFailures, sessionFailures } from "./failures.ts"
import { optional, optionalWord } from "./optional.ts"
import { millis, removed, Scopes, Words } from "./shapes.ts"

const ConnectedApp = Schema.Struct({
  id: Schema.String,
  name: Schema.String.annotate({ description: "In the app's own words" }),
  personId: Schema.String.annotate({
    description: "Who let it in: it may never more than they may, and ends with their membership"
  }),
  clientId: Schema.String.annotate({ description: "An https address of the app's makers, or an id of this hub" }),
  redirectHost: Schema.String.annotate({ description: "Where its answer went: `claude.ai`, `localhost`" }),
  scopes: Schema.Array(Schema.Literals(scopes)),
  selector: Schema.NullOr(Schema.String).annotate({
    description: "The daemons that it is bound to, by their tags; null: all of the account"
  }),
  createdAt: millis,
  lastUsedAt: Schema.NullOr(millis).annotate({ description: "To the minute" }),
  expiresAt: millis.annotate({ description: "When it ends, unless it is used before" })
}).annotate({ identifier: "ConnectedApp" })

const AppList = Schema.Struct({ connectedApps: Schema.Array(ConnectedApp) }).annotate({
  identifier: "ConnectedAppList"
})

const query = {
  query: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(authorizationQueryCharsMax)).annotate({
    description: "The query with which the app sent its person to the authorization endpoint, as it came"
  })
}
const Request = Schema.Struct(query).annotate({ identifier: "AppRequest" })

const Shown = Schema.Struct({
  name: Schema.String.annotate({ description: "In the app's own words" }),
  clientId: Schema.String,
  redirectHost: Schema.String.annotate({ description: "Where the answer goes" }),
  redirectKind: Schema.Literals(["web", "loopback", "app"]).annotate({
    description: "`loopback`: to a program of the person's own computer, which may have taken any name; `app`: likewise"
  }),
  scopes: Schema.Array(
    Schema.Struct({
      name: Schema.Literals(scopes),
      says: Schema.String.annotate({ description: "What it lets an agent do" }),
      readsOnly: Schema.Boolean
    }).annotate({ identifier: "ScopeInWords" })
  ),
  offline: Schema.Boolean.annotate({ description: "Whether it may stay connected" }),
  issuer: Schema.String.annotate({ description: "The address of the hub that is asked" })
}).annotate({ identifier: "ShownAppRequest" })

const Approval = Schema.Struct({
  ...query,
  scopes: Scopes.annotate({ description: "Those of the scopes that it asks for that it gets" }),
  selector: optionalWord(Schema.String, "Binds it to the daemons with these tags. Not with `webhook:manage`"),
  offline: optional(Schema.Boolean, "Whether it stays connected until it is not used for 30 days; else for an hour")
}).annotate({ identifier: "AppApproval" })

const Decided = Schema.Struct({
  location: Schema.String.annotate({ description: "Where the person's browser goes now" })
}).annotate({ identifier: "AppDecided" })

const Disconnected = removed("DisconnectedApp")

const requestFailures = [...bodyFailures, "NotFound", "AuthorizationRefused"] as const
const path = "/api/v1/connected-apps" as const
const asked = `${path}/requests` as const
const ofPerson = { kind: "session", role: "viewer", idempotent: false } as const

/** `/api/v1/connected-apps/…`. */
export const ConnectedApps = HttpApiGroup.make("connectedApps")
  .annotateMerge(
    OpenApi.annotations({
      description: "Apps that were let in by OAuth, such as agents of others. They call `/mcp` and nothing else."
    })
  )
  .add(
    HttpApiEndpoint.get("list", path, { success: AppList, error: failures(...sessionFailures) })
      .annotate(Words, [
        "The account's connected apps, newest first",
        "Below an administrator a member sees their own."
      ])
      .annotateMerge(access({ kind: "session", role: "viewer", onHangUp: "cancel" })),
    HttpApiEndpoint.delete("disconnect", `${path}/:appId`, {
      params: Schema.Struct({ appId: Schema.String.annotate({ description: "The `id` of the app" }) }),
      success: Disconnected,
      error: failures(...recentLoginFailures, "NotFound")
    })
      .annotate(Words, ["Disconnect an app: its tokens are refused, and its open calls end, within two seconds"])
      .annotateMerge(
        access({ kind: "any", role: "viewer", recent: true, onHangUp: "finish", audits: "app.disconnected" })
      ),
    HttpApiEndpoint.post("show", `${asked}/show`, {
      payload: Request,
      success: Shown,
      error: failures(...sessionFailures, ...requestFailures)
    })
      .annotate(Words, ["What an app asks for, before it is let in", "404 where the hub has no OAuth."])
      .annotateMerge(access({ ...ofPerson, onHangUp: "cancel", audits: false })),
    HttpApiEndpoint.post("approve", `${asked}/approve`, {
      payload: Approval,
      success: Decided,
      error: failures(...recentLoginFailures, ...requestFailures, "ConnectedAppLimitReached")
    })
      .annotate(Words, ["Let an app in, and get where the browser takes its code"])
      .annotateMerge(
        access({
          kind: "any",
          role: "viewer",
          recent: true,
          idempotent: false,
          onHangUp: "finish",
          audits: "app.approved"
        })
      ),
    HttpApiEndpoint.post("deny", `${asked}/deny`, {
      payload: Request,
      success: Decided,
      error: failures(...sessionFailures, ...requestFailures)
    })
      .annotate(Words, ["Refuse it, and get where the browser tells it so"])
      .annotateMerge(access({ ...ofPerson, onHangUp: "finish", audits: "app.denied", notes: "success too" }))
  )
