/** The routes that show an account its credential, its limits and their use. Owns no state. */
import { Clock, Effect } from "effect"
import { Quota, type QuotaDecision } from "../../actors/limits/quota.ts"
import { type Decision, RateLimits } from "../../actors/limits/rate-limits.ts"
import { VolumeBudgets } from "../../actors/limits/volume-budgets.ts"
import { makePersonProfiles, makeProfiles, type Profile } from "../../src/auth/profiles.ts"
import { Config } from "../../src/config.ts"
import { nextMonthAt } from "../../src/domain/account/calendar-month.ts"
import { planLimits } from "../../src/domain/account/plans.ts"
import { type Principal, programCredentialOf } from "../../src/domain/account/principal.ts"
import { scopes } from "../../src/domain/account/scopes.ts"
import { selectorText } from "../../src/domain/daemon/selector.ts"
import { AuthInvalid } from "../../src/errors.ts"
import { toEffect } from "../../src/runtime/maybe-sync.ts"
import type { Account } from "../api/account.ts"
import type { Routes } from "../pipeline/action.ts"

const windowOf = ({ limit, windowSeconds, remaining, resetSeconds }: Decision) => ({
  limit,
  windowSeconds,
  remaining,
  resetSeconds
})

const finite = (count: number): number | null => (Number.isFinite(count) ? count : null)

const credentialOf = ({ credential }: Principal, recentSeconds: number) => {
  if (credential.kind === "key") return { kind: "key" as const, id: credential.keyId }
  if (credential.kind === "grant")
    return { kind: "grant" as const, id: credential.grantId, expiresAt: credential.expiresAt }
  const { sessionId: id, authTime, expiresAt } = credential
  const authenticatedAt = authTime === undefined ? null : authTime * 1_000
  const recentUntil = authenticatedAt === null ? null : authenticatedAt + recentSeconds * 1_000
  return { kind: "session" as const, id, authenticatedAt, recentUntil, expiresAt }
}

/** What the plan allows an account to hold, with how much of it is held. */
const budgetsOf = ({ id, plan, holdings }: Profile, volumes: VolumeBudgets["Service"]) => {
  const limits = planLimits[plan]
  const pending = volumes.pending.known(id)
  const outcomes = volumes.outcomes.known(id)
  const commands = volumes.commands.known(id)
  return {
    daemons: { used: holdings.daemons, max: limits.daemons },
    apiKeys: { used: holdings.apiKeys, max: limits.apiKeys },
    webhooks: { used: holdings.webhooks, max: finite(limits.webhooks) },
    people: { used: holdings.people, max: finite(limits.people) },
    serviceAccounts: { used: holdings.serviceAccounts, max: finite(limits.serviceAccounts) },
    pendingDeliveries: { used: pending?.number ?? null, max: limits.pendingDeliveries },
    pendingDeliveryBytes: { used: pending?.bytes ?? null, max: limits.pendingDeliveryBytes },
    keptOutcomes: { used: outcomes?.number ?? null, max: limits.keptOutcomes },
    keptOutcomeBytes: { used: outcomes?.bytes ?? null, max: limits.keptOutcomeBytes },
    keptCommands: { used: commands?.number ?? null, max: limits.keptCommands },
    keptCommandBytes: { used: commands?.bytes ?? null, max: limits.keptCommandBytes }
  }
}

/** The routes of `Account`. */
export const accountRoutes = Effect.gen(function* () {
  const profile = yield* makeProfiles
  const personProfile = yield* makePersonProfiles
  const limits = yield* RateLimits
  const quota = yield* Quota
  const volumes = yield* VolumeBudgets
  const settings = yield* Config
  const clock = yield* Clock.Clock

  const usageOf = ({ plan }: Principal, seen: QuotaDecision) => ({
    month: seen.month,
    plan,
    used: seen.used,
    limit: finite(seen.limit),
    remaining: finite(seen.remaining),
    resetsAt: nextMonthAt(clock.currentTimeMillisUnsafe())
  })

  /** Who acts. What else they are a member of is for them, and not for who has a key of theirs. */
  const whoIs = Effect.fnUntraced(function* ({ person, serviceAccount, role, selector, credential }: Principal) {
    const found = person === undefined ? undefined : yield* personProfile(person)
    const theirs = credential.kind === "session" ? (found?.accounts ?? []) : []
    return {
      person: found === undefined ? null : { id: found.id, email: found.email },
      serviceAccount: serviceAccount ?? null,
      role,
      selector: selector === undefined ? null : selectorText(selector),
      memberships: theirs
        .filter(({ disabled }) => !disabled)
        .map(({ accountId, email, plan, role }) => ({ accountId, email, plan, role }))
    }
  })

  const routes: Routes<typeof Account> = {
    me: Effect.fnUntraced(function* ({ principal, address }) {
      const from = address()
      const account = yield* profile(principal.accountId)
      if (account === undefined) return yield* new AuthInvalid()
      const seen = yield* quota.seen(principal.accountId, principal.plan)
      const { id, email, plan, admin } = account
      const program = programCredentialOf(principal)
      return {
        account: { id, email, plan, admin },
        ...(yield* whoIs(principal)),
        credential: credentialOf(principal, settings.recentLoginSeconds),
        scopes: scopes.filter((scope) => principal.scopes.has(scope)),
        limits: {
          key: program === undefined ? null : windowOf(yield* toEffect(limits.seenKey(program))),
          ip: windowOf(yield* toEffect(limits.seenAddress(from))),
          month: usageOf(principal, seen),
          ...budgetsOf(account, volumes)
        }
      }
    }),
    usage: ({ principal }) =>
      Effect.map(quota.seen(principal.accountId, principal.plan), (seen) => usageOf(principal, seen))
  }
  return routes
})
