/**
 * Everything that decides who gets in and how much they may: credentials, sign-in, rate limits, quota. Owns how those
 * services hang together; contains no rule of its own.
 */
import { Layer } from "effect"
import { Jwks } from "../src/auth/jwks.ts"
import { Keyring } from "../src/auth/keyring.ts"
import { Oidc } from "../src/auth/oidc.ts"
import { Passwords } from "../src/auth/password.ts"
import { People } from "../src/auth/people.ts"
import { Sealed } from "../src/auth/sealed.ts"
import { DashboardSessions } from "../src/auth/sessions.ts"
import { Signing } from "../src/auth/signing.ts"
import { Accounts } from "../src/store/accounts.ts"
import { Identities } from "../src/store/identities.ts"
import { Keys } from "../src/store/keys.ts"
import { LoginCodes } from "../src/store/logincodes.ts"
import { Sessions } from "../src/store/sessions.ts"
import { Usage } from "../src/store/usage.ts"
import { Attempts } from "./attempts.ts"
import { Limits } from "./buckets.ts"
import { Quota } from "./quota.ts"

const stores = Layer.mergeAll(
  Accounts.layer,
  Keys.layer,
  Sessions.layer,
  Identities.layer,
  LoginCodes.layer,
  Usage.layer
)

const signIn = Layer.mergeAll(DashboardSessions.layer, Oidc.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Signing.layer, People.layer)),
  Layer.provideMerge(Layer.mergeAll(Sealed.layer, Jwks.layer, Passwords.layer))
)

/** The gate and its stores, over the settings, the bus, the supervisor and a SQL client. */
export const gateLayer = Layer.mergeAll(Keyring.layer, Limits.layer, Quota.layer, Attempts.layer).pipe(
  Layer.provideMerge(signIn),
  Layer.provideMerge(stores)
)
