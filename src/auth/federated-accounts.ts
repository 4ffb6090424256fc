/**
 * Maps an identity of another issuer to a person and the account that they sign in to. Owns the first sign-in, which
 * makes an account or, when the issuer vouches for the address, joins the person who has it; checks no token.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Member } from "../domain/account/member.ts"
import { newId } from "../domain/ids.ts"
import { AddressRefused, AuthInvalid, type StoreFailed } from "../errors.ts"
import { type Account, Accounts } from "../store/accounts/accounts.ts"
import { Identities } from "../store/accounts/identities.ts"
import { People } from "../store/accounts/people.ts"
import type { Identity } from "./jwks.ts"

/** Where a person signs in: as this member of this account. */
export interface SignInPlace {
  readonly account: Account
  readonly member: Member
}

/** The first account of a person that is not disabled; undefined: they have none. */
export const signInPlace = Effect.fnUntraced(function* (personId: string) {
  const first = (yield* (yield* People).accountsOf(personId)).find(({ disabled }) => !disabled)
  const account = first === undefined ? undefined : yield* (yield* Accounts).byId(first.accountId)
  if (first === undefined || account === undefined) return undefined
  const { role, selector } = first
  return { account, member: { personId, role, selector } } satisfies SignInPlace
})

const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const people = yield* People
  const identities = yield* Identities
  const clock = yield* Clock.Clock
  const context = yield* Effect.context<Accounts | People>()

  const placeOf = Effect.fnUntraced(function* (personId: string | undefined) {
    const place = personId === undefined ? undefined : yield* signInPlace(personId)
    return place ?? (yield* new AuthInvalid())
  })

  /**
   * Makes an account for this address, or joins the person who has it if the issuer vouches for the address. A person
   * whose address was never vouched for is not joined: who made that account would share it.
   */
  const firstPlace = Effect.fnUntraced(function* (identity: Identity, email: string) {
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
    const isNew = yield* created
    if (!isNew && !vouched) {
      return yield* new AddressRefused({ because: "is not verified there, and an account has it already" })
    }
    const holder = yield* people.byEmail(email)
    if (holder === undefined)
      return yield* new AddressRefused({ because: "is that of an account that its person left" })
    if (isNew || holder.vouched) return yield* placeOf(holder.id)
    return yield* new AddressRefused({ because: "is that of an account that was made before it was verified" })
  })

  const placeFor = Effect.fnUntraced(function* (identity: Identity) {
    const known = yield* identities.find(identity)
    if (known !== undefined) return yield* placeOf(known)
    if (identity.email === undefined)
      return yield* new AddressRefused({ because: identity.emailRefused ?? "is missing" })
    const { account, member } = yield* firstPlace(identity, identity.email)
    const to = { accountId: account.id, personId: member.personId }
    // Of two concurrent first sign-ins the first decides, and both are its person.
    return yield* placeOf(yield* identities.link(identity, to, clock.currentTimeMillisUnsafe()))
  })

  return FederatedAccounts.of({ placeOf: (identity) => Effect.provideContext(placeFor(identity), context) })
})

/** Accounts of identities of other issuers. */
export class FederatedAccounts extends Context.Service<
  FederatedAccounts,
  {
    /**
     * Where this identity signs in. AuthInvalid: every account of its person is disabled. AddressRefused: the address
     * can name no account, or is of a person whom this identity may not join.
     */
    readonly placeOf: (identity: Identity) => Effect.Effect<SignInPlace, AuthInvalid | AddressRefused | StoreFailed>
  }
>()("hub/FederatedAccounts") {
  static readonly layer = Layer.effect(FederatedAccounts, make)
}
