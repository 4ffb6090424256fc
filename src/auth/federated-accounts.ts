/**
 * Maps an identity of another issuer to an account. Owns the first sign-in, which makes the account or, when the issuer
 * vouches for the address, joins the account that has it; checks no token.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { newId } from "../domain/ids.ts"
import { AddressRefused, AuthInvalid, type StoreFailed } from "../errors.ts"
import { type Account, Accounts } from "../store/accounts/accounts.ts"
import { Identities } from "../store/accounts/identities.ts"
import type { Identity } from "./jwks.ts"

const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const identities = yield* Identities
  const clock = yield* Clock.Clock

  const enabled = Effect.fnUntraced(function* (accountId: string) {
    const account = yield* accounts.byId(accountId)
    return account === undefined || account.disabled ? yield* new AuthInvalid() : account
  })

  /**
   * Makes an account for this address, or joins the one that has it if the issuer vouches for the address. An account
   * whose address was never vouched for is not joined: the person who made it would share it.
   */
  const firstAccount = Effect.fnUntraced(function* (identity: Identity, email: string) {
    const id = newId("account")
    // The first account of a hub is its owner's.
    const plan = (yield* accounts.count) === 0 ? ("pro" as const) : ("free" as const)
    const createdAt = clock.currentTimeMillisUnsafe()
    const vouched = identity.emailVerified
    const draft = { id, email, passwordHash: null, plan, admin: false, vouched, createdAt }
    const created = accounts
      .create(draft)
      .pipe(
        Effect.catchTag("ValidationFailed", ({ issues }) =>
          Effect.fail(new AddressRefused({ because: issues[0]!.message }))
        )
      )
    if (yield* created) return id
    if (!vouched) return yield* new AddressRefused({ because: "is not verified there, and an account has it already" })
    const holder = yield* accounts.byEmail(email)
    if (holder?.vouched === true) return holder.id
    return yield* new AddressRefused({ because: "is that of an account that was made before it was verified" })
  })

  const accountOf = Effect.fnUntraced(function* (identity: Identity) {
    const known = yield* identities.find(identity)
    if (known !== undefined) return yield* enabled(known)
    if (identity.email === undefined)
      return yield* new AddressRefused({ because: identity.emailRefused ?? "is missing" })
    const accountId = yield* firstAccount(identity, identity.email)
    // Of two concurrent first sign-ins the first decides, and both get its account.
    return yield* enabled(yield* identities.link(identity, accountId, clock.currentTimeMillisUnsafe()))
  })

  return FederatedAccounts.of({ accountOf })
})

/** Accounts of identities of other issuers. */
export class FederatedAccounts extends Context.Service<
  FederatedAccounts,
  {
    /**
     * The account of this identity. AuthInvalid: it is disabled. AddressRefused: the address can name no account, or
     * is of one that this identity may not join.
     */
    readonly accountOf: (identity: Identity) => Effect.Effect<Account, AuthInvalid | AddressRefused | StoreFailed>
  }
>()("hub/FederatedAccounts") {
  static readonly layer = Layer.effect(FederatedAccounts, make)
}
