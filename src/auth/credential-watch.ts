/**
 * Tells what was let in with a credential when that may have ended: its key, account or member changed, its session or
 * grant ended, it expired, or news of these may have been missed. Owns who waits for which credential; judges no
 * caller.
 */
import { Context, Effect, Layer } from "effect"
import { Bus } from "../bus/bus.ts"
import { type Principal, programCredentialOf } from "../domain/account/principal.ts"
import { expiryLookMillis } from "../limits.ts"
import { type Timer, Timers } from "../runtime/timers.ts"
import { Authenticator } from "./authenticator.ts"

const credentialOf = (principal: Principal): string => {
  const { credential } = principal
  return credential.kind === "session" ? `session ${credential.sessionId}` : `program ${programCredentialOf(principal)}`
}

/** Who is told, by credential and by account. */
class Watched {
  private readonly byName = new Map<string, Set<() => void>>()

  tell(of: string): void {
    for (const changed of [...(this.byName.get(of) ?? [])]) changed()
  }

  tellAll(): void {
    for (const of of [...this.byName.keys()]) this.tell(of)
  }

  add(principal: Principal, changed: () => void): () => void {
    const { accountId, person, serviceAccount } = principal
    const member = person ?? serviceAccount
    const of = [credentialOf(principal), `account ${accountId}`]
    if (member !== undefined) of.push(`member ${accountId} ${member}`)
    for (const name of of) this.byName.set(name, (this.byName.get(name) ?? new Set()).add(changed))
    return () => {
      for (const name of of) {
        const some = this.byName.get(name)
        some?.delete(changed)
        if (some?.size === 0) this.byName.delete(name)
      }
    }
  }
}

const tellAtExpiry = (
  { after, now }: Pick<Timers["Service"], "after" | "now">,
  { credential }: Principal,
  changed: () => void
): (() => void) => {
  const { expiresAt } = credential
  if (expiresAt === undefined) return () => undefined
  let timer: Timer
  const wait = (): void => {
    const left = Math.max(0, expiresAt - now())
    timer = after(Math.min(left, expiryLookMillis), left > expiryLookMillis ? wait : changed)
  }
  wait()
  return () => timer.clear()
}

const make = Effect.gen(function* () {
  const timers = yield* Timers
  const bus = yield* Bus
  const authenticator = yield* Authenticator
  const watched = new Watched()
  yield* bus.subscribe("key_changed", ({ keyId }) => watched.tell(`program ${keyId}`))
  yield* bus.subscribe("grant_ended", ({ grantId }) => watched.tell(`program ${grantId}`))
  yield* bus.subscribe("session_ended", ({ sessionId }) => watched.tell(`session ${sessionId}`))
  yield* bus.subscribe("account_changed", ({ accountId }) => watched.tell(`account ${accountId}`))
  yield* bus.subscribe("member_changed", ({ accountId, member }) => watched.tell(`member ${accountId} ${member}`))
  yield* bus.gaps((stands) => {
    if (stands) watched.tellAll()
  })
  return CredentialWatch.of({
    watch: (principal, changed) => {
      const forget = watched.add(principal, changed)
      const noExpiry = tellAtExpiry(timers, principal, changed)
      // what changed after the guard had admitted it came before this watch: no later message would tell
      if (!authenticator.stands(principal)) changed()
      return () => {
        forget()
        noExpiry()
      }
    }
  })
})

export class CredentialWatch extends Context.Service<
  CredentialWatch,
  {
    /**
     * Calls `changed` whenever the caller must be judged again, and at once if that is so already. What it returns ends
     * the watch.
     */
    readonly watch: (principal: Principal, changed: () => void) => () => void
  }
>()("hub/CredentialWatch") {
  static readonly layer = Layer.effect(CredentialWatch, make)
}
