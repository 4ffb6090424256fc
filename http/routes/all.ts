/** The routes of every group. Owns the list: a group of the contract without routes does not compile. */
import { Effect } from "effect"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import type { Api } from "../api/api.ts"
import type { Routes } from "../pipeline/action.ts"
import { accountRoutes } from "./account.ts"
import { adminDaemonRoutes } from "./admin-daemons.ts"
import { approvalRoutes } from "./approvals.ts"
import { auditRoutes } from "./audit.ts"
import { authRoutes } from "./auth.ts"
import { commandRoutes } from "./commands.ts"
import { connectedAppRoutes } from "./connected-apps.ts"
import { consoleRoutes } from "./console.ts"
import { daemonDownloadRoutes } from "./daemon-download.ts"
import { daemonVersionRoutes } from "./daemon-versions.ts"
import { daemonRoutes } from "./daemons.ts"
import { deviceCodeRoutes } from "./device-codes.ts"
import { eventRoutes } from "./events.ts"
import { jobRoutes } from "./jobs.ts"
import { joinKeyRoutes } from "./join-keys.ts"
import { keyRoutes } from "./keys.ts"
import { makeLogAnswers } from "./log-answers.ts"
import { memberRoutes } from "./members.ts"
import { policyRoutes } from "./policies.ts"
import { pushSubscriptionRoutes } from "./push-subscriptions.ts"
import { referenceRoutes } from "./reference.ts"
import { registryRoutes } from "./registry.ts"
import { requestRoutes } from "./requests.ts"
import { makeSelected } from "./selected-daemons.ts"
import { serviceAccountRoutes } from "./service-accounts.ts"
import { sessionRoutes } from "./sessions.ts"
import { shortcutRoutes } from "./shortcuts.ts"
import { systemRoutes } from "./system.ts"
import { tagRoutes } from "./tags.ts"
import { turnRoutes } from "./turn.ts"
import { webhookRoutes } from "./webhooks.ts"

type GroupsOf<A> = A extends HttpApi.HttpApi<infer _, infer Gs> ? Extract<Gs, HttpApiGroup.Constraint> : never
type Groups = GroupsOf<typeof Api>

/** The name of a group of the contract. */
export type GroupName = Groups["identifier"]

/** The group of this name. */
export type GroupNamed<N> = Extract<Groups, { readonly identifier: N }>

/** The routes of every group of the contract, by group. */
export type AllRoutes = { readonly [N in GroupName]: Routes<GroupNamed<N>> }

/** Builds all routes. The layers must provide their services. */
export const allRoutes = Effect.gen(function* () {
  const logAnswers = yield* makeLogAnswers
  const selected = yield* makeSelected
  const routes: AllRoutes = {
    system: yield* systemRoutes,
    auth: yield* authRoutes,
    deviceCodes: yield* deviceCodeRoutes,
    account: yield* accountRoutes,
    keys: yield* keyRoutes,
    connectedApps: yield* connectedAppRoutes,
    members: yield* memberRoutes,
    serviceAccounts: yield* serviceAccountRoutes,
    requests: yield* requestRoutes,
    audit: yield* auditRoutes,
    daemons: selected(yield* daemonRoutes),
    daemonVersions: yield* daemonVersionRoutes,
    policies: yield* policyRoutes,
    pushSubscriptions: yield* pushSubscriptionRoutes,
    tags: selected(yield* tagRoutes),
    joinKeys: yield* joinKeyRoutes,
    shortcuts: selected(yield* shortcutRoutes),
    approvals: yield* approvalRoutes,
    commands: selected(yield* commandRoutes(logAnswers)),
    jobs: yield* jobRoutes,
    sessions: selected(yield* sessionRoutes(logAnswers)),
    webhooks: yield* webhookRoutes,
    events: yield* eventRoutes,
    turn: yield* turnRoutes,
    registry: yield* registryRoutes,
    adminDaemons: yield* adminDaemonRoutes,
    reference: yield* referenceRoutes,
    console: yield* consoleRoutes,
    daemonDownload: yield* daemonDownloadRoutes
  }
  return routes
})
