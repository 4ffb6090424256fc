/**
 * From a bearer credential to who it is. Owns the look-up of API keys and dashboard tokens and the cache before it
 * (by SHA-256, bounded, short-lived, dropped by the bus); never decides what the credential may do.
 */
import { Context, type Effect } from "effect"
import type { Principal } from "../domain/principal.ts"
import type { AuthInvalid, StoreFailed, TokenExpired } from "../errors.ts"

/** The look-up of credentials. */
export class Keyring extends Context.Service<
  Keyring,
  {
    /** Who this credential is. A credential never seen costs at most one look-up, shared by all who ask meanwhile. */
    readonly authenticate: (bearer: string) => Effect.Effect<Principal, AuthInvalid | TokenExpired | StoreFailed>
    /** The same without a look-up: undefined unless a live entry is cached. For the hot path. */
    readonly cached: (bearer: string) => Principal | undefined
  }
>()("hub/Keyring") {}
