/** The contract of signing in to the dashboard and out of it. Owns paths and shapes; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { challengeShape, verifierShape } from "../../src/auth/challenge.ts"
import { plans } from "../../src/domain/account/plans.ts"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import { bodyFailures, failures, publicFailures, recentLoginFailures, sessionFailures } from "./failures.ts"
import { optional, queryWord } from "./optional.ts"
import { Words } from "./shapes.ts"

/** An account as its owner sees it. */
export const AccountRecord = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  plan: Schema.Literals(plans),
  admin: Schema.Boolean
}).annotate({ identifier: "Account" })

/** A person, by their own address. */
export const PersonRecord = Schema.Struct({ id: Schema.String, email: Schema.String }).annotate({
  identifier: "Person"
})

/** What signing in gives: a bearer token for the dashboard's calls. */
export const SignedIn = Schema.Struct({
  token: Schema.String,
  expiresAt: Schema.Int.annotate({ description: "Epoch milliseconds" }),
  account: AccountRecord,
  person: PersonRecord.annotate({ description: "Who signed in, who may be one of several members of the account" })
}).annotate({ identifier: "SignedIn" })

const Login = Schema.Struct({
  email: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(320)),
  password: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1_024))
}).annotate({ identifier: "Login" })

const Exchange = Schema.Struct({
  code: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(512)),
  verifier: optional(
    Schema.String.check(Schema.isPattern(verifierShape)),
    "What the challenge of this sign-in was made from; needed unless it began without one"
  )
}).annotate({ identifier: "Exchange" })

const Switch = Schema.Struct({
  accountId: Schema.String.annotate({ description: "Of an account that you are a member of" })
}).annotate({ identifier: "Switch" })

const NewPassword = Schema.Struct({
  password: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1_024))
}).annotate({ identifier: "NewPassword" })

const challenge = Schema.String.check(Schema.isPattern(challengeShape))

const SignedOut = Schema.Struct({ success: Schema.Literal(true) }).annotate({ identifier: "SignedOut" })
const OthersSignedOut = Schema.Struct({
  success: Schema.Literal(true),
  ended: Schema.Int.annotate({ description: "How many other sessions there were" })
}).annotate({ identifier: "OthersSignedOut" })
const noneTold = "No browser is told of questions until it subscribes again."
const bodyBytes = 16_384
const publicAccess = { kind: "public", signIn: true, idempotent: false, bodyBytes, onHangUp: "cancel" } as const
const sessionAccess = { kind: "session", role: "viewer", signIn: true, idempotent: false, onHangUp: "finish" } as const
const redirect = answers({ headers: ["Location", "Cache-Control"], optionalHeaders: ["Set-Cookie"] })
const text = Schema.String.check(Schema.isMaxLength(4_096))
const ofProvider = (description: string) => Schema.optionalKey(text.annotate({ description }))

/** `/api/v1/auth/…`. */
export const Auth = HttpApiGroup.make("auth")
  .annotateMerge(OpenApi.annotations({ description: "Signing in to the dashboard and out of it." }))
  .add(
    HttpApiEndpoint.post("login", "/api/v1/auth/login", {
      payload: Login,
      success: SignedIn,
      error: failures(...publicFailures, ...bodyFailures, "AuthInvalid")
    })
      .annotate(Words, ["Sign in with e-mail and password"])
      .annotateMerge(access({ ...publicAccess, audits: "session.started", notes: "no refusal" })),
    HttpApiEndpoint.get("begin", "/api/v1/auth/login", {
      query: {
        challenge: queryWord(
          challenge,
          "SHA-256, in base64url, of a random verifier of 43 to 128 characters that the dashboard keeps for the exchange. Needed, unless HUB_SIGN_IN_CHALLENGE says otherwise"
        )
      },
      headers: {
        cookie: Schema.optionalKey(Schema.String.annotate({ description: "The cookies of sign-ins begun before" }))
      },
      success: HttpApiSchema.Empty(302),
      error: failures(...publicFailures, "ValidationFailed", "NotFound", "Overloaded")
    })
      .annotateMerge(redirect)
      .annotate(Words, ["Sign in at the OpenID Connect provider (a browser goes here)"])
      .annotateMerge(access(publicAccess)),
    HttpApiEndpoint.get("callback", "/api/v1/auth/callback", {
      query: {
        state: text.annotate({ description: "Of the sign-in that began" }),
        code: ofProvider("The provider's code, where the sign-in succeeded"),
        iss: ofProvider("The provider"),
        session_state: ofProvider("Of the provider; not read"),
        error: ofProvider("The provider's error code, where the sign-in failed"),
        error_description: ofProvider("The provider's words for it")
      },
      headers: {
        cookie: Schema.optionalKey(
          Schema.String.annotate({
            description: "The cookie that the beginning of the sign-in set. Its name ends in a part of its own"
          })
        )
      },
      success: HttpApiSchema.Empty(302),
      error: failures(...publicFailures, "ValidationFailed", "NotFound", "Overloaded")
    })
      .annotateMerge(redirect)
      .annotate(Words, ["Where the provider sends the browser back to"])
      .annotateMerge(access({ ...publicAccess, audits: "session.started" })),
    HttpApiEndpoint.post("exchange", "/api/v1/auth/exchange", {
      payload: Exchange,
      success: SignedIn,
      error: failures(...publicFailures, ...bodyFailures, "AuthInvalid")
    })
      .annotate(Words, ["Turn the one-time code of a sign-in into a token"])
      .annotateMerge(access({ ...publicAccess, audits: "session.started" })),
    HttpApiEndpoint.post("refresh", "/api/v1/auth/refresh", { success: SignedIn, error: failures(...sessionFailures) })
      .annotate(Words, ["A new token for the same login, which becomes no more recent"])
      .annotateMerge(access({ ...sessionAccess, audits: "session.ended" })),
    HttpApiEndpoint.post("logout", "/api/v1/auth/logout", { success: SignedOut, error: failures(...sessionFailures) })
      .annotate(Words, ["End the dashboard session at once"])
      .annotateMerge(access({ ...sessionAccess, audits: "session.ended" })),
    HttpApiEndpoint.post("logoutOthers", "/api/v1/auth/logout-others", {
      success: OthersSignedOut,
      error: failures(...recentLoginFailures)
    })
      .annotate(Words, ["End every other dashboard session of yours at once", noneTold])
      .annotateMerge(access({ ...sessionAccess, recent: true, audits: "session.others_ended" })),
    HttpApiEndpoint.post("switch", "/api/v1/auth/switch", {
      payload: Switch,
      success: SignedIn,
      error: failures(...sessionFailures, ...bodyFailures, "NotFound")
    })
      .annotate(Words, [
        "A token for another account of the same person",
        "The login becomes no more recent, and lasts no longer. The token that it is called with stays good. Not for tokens of another issuer."
      ])
      .annotateMerge(access({ ...sessionAccess, bodyBytes, audits: "session.started" })),
    HttpApiEndpoint.post("setPassword", "/api/v1/auth/password", {
      payload: NewPassword,
      success: OthersSignedOut,
      error: failures(...recentLoginFailures, ...bodyFailures)
    })
      .annotate(Words, [
        "Change your own password",
        `Ends every other session of yours, in whatever account. ${noneTold}`
      ])
      .annotateMerge(access({ ...sessionAccess, recent: true, bodyBytes, audits: "account.password_set" }))
  )
