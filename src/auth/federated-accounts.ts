/**
 * Maps an identity of another issuer to a person and the account that they sign in to. Owns the first sign-in, which
 * makes an account or, when the issuer vouches for the address, joins the person who has it; checks no token.
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { Bus } from "../bus/bus.ts"
import { readEmailAddress } from "../domain/account/email-address.ts"
import type { Member } from "../domain/account/member.ts"
import { newId } from "../domain/ids.ts"
import { AddressRefused, AuthInvalid } from "../errors.ts"
import { type Account, Accounts } from "../store/accounts/accounts.ts"
import { Identities } from "../store/accounts/identities.ts"
import { People, type Person } from "../store/accounts/people.ts"
import type { Entry } from "../store/accounts/provider-entry.ts"
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

/** Makes what lets an identity join the person of its address. */
const makeProving = Effect.gen(function* () {
  const people = yield* People
  const bus = yield* Bus
  const clock = yield* Clock.Clock

  /** Fails where the address of this person was never proven, unless they came by an invitation: then it is now. */
  return Effect.fnUntraced(function* ({ id, vouched }: Person) {
    if (vouched) return
    const taken = yield* people.takeOver(id, clock.currentTimeMillisUnsafe())
    if (taken === undefined) {
      return yield* new AddressRefused({ because: "is that of an account that was made before it was verified" })
    }
    for (const sessionId of taken.sessionIds) bus.publish("session_ended", { sessionId })
    for (const keyId of taken.keyIds) bus.publish("key_changed", { keyId })
    for (const grantId of taken.grantIds) bus.publish("grant_ended", { grantId })
  })
})

/** Makes the entry into the hub's own account. */
const makeEntry = Effect.gen(function* () {
  const accounts = yield* Accounts
  const people = yield* People
  const identities = yield* Identities
  const bus = yield* Bus
  const clock = yield* Clock.Clock
  const proven = yield* makeProving

  /** The person of an identity that enters the hub's own account: known, found by a proven address, or new. */
  const entering = Effect.fnUntraced(function* (identity: Identity) {
    const known = yield* identities.find(identity)
    if (known !== undefined) return { personId: known }
    const { email, emailVerified: vouched } = identity
    const address = email === undefined ? undefined : readEmailAddress(email)
    if (address === undefined || Result.isFailure(address))
      return yield* new AddressRefused({ because: identity.emailRefused ?? "is missing" })
    const holder = yield* people.byEmail(address.success.text)
    if (holder === undefined) return { email: address.success.text, emailKey: address.success.key, vouched }
    if (!vouched) return yield* new AddressRefused({ because: "is not verified there, and a person has it already" })
    yield* proven(holder)
    return { personId: holder.id }
  })

  return Effect.fnUntraced(function* (identity: Identity, entry: Entry) {
    const account = yield* accounts.byId(entry.accountId)
    if (account === undefined || account.disabled) {
      yield* Effect.logWarning("HUB_OIDC_ACCOUNT names no account that may be used", { account: entry.accountId })
      return yield* new AuthInvalid()
    }
    const now = clock.currentTimeMillisUnsafe()
    const entered = yield* Effect.catchTag(
      people.enter(yield* entering(identity), entry, now),
      "PeopleLimitReached",
      () => Effect.fail(new AuthInvalid({ because: "the account has as many people as its plan allows" }))
    )
    // another sign-in has just made a person of this address
    if (entered === undefined) return yield* new AuthInvalid()
    const { member, changed } = entered
    const { accountId } = entry
    if (changed) {
      bus.publish("member_changed", { accountId, member: member.personId })
      bus.publish("holdings_changed", { accountId })
    }
    yield* identities.link(identity, { accountId, personId: member.personId }, now)
    return { account, member } satisfies SignInPlace
  })
})

const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const people = yield* People
  const identities = yield* Identities
  const clock = yield* Clock.Clock
  const proven = yield* makeProving
  const enter = yield* makeEntry
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
    if (!isNew) yield* proven(holder)
    return yield* placeOf(holder.id)
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

  return {
    /**
     * Where this identity signs in. AuthInvalid: every account of its person is disabled. AddressRefused: the address
     * can name no account, or is of a person whom this identity may not join.
     */
    placeOf: (identity: Identity) => Effect.provideContext(placeFor(identity), context),
    /** The same in the account of which all become members who sign in at the provider. */
    enter
  }
})

/** Accounts of identities of other issuers. */
export class FederatedAccounts extends Context.Service<FederatedAccounts, Effect.Success<typeof make>>()(
  "hub/FederatedAccounts"
) {
  static readonly layer = Layer.effect(FederatedAccounts, make)
}
