/** The routes of connected apps. Owns what is shown of one; src/auth/oauth judges requests, the store has the rows. */
import { Clock, Effect } from "effect"
import { endGrant } from "../../src/auth/credential-ending.ts"
import { makeAuthorizations } from "../../src/auth/oauth/authorizations.ts"
import type { Bus } from "../../src/bus/bus.ts"
import { ownOnly } from "../../src/domain/account/principal.ts"
import { inWords } from "../../src/domain/oauth/granted-scopes.ts"
import { NotFound } from "../../src/errors.ts"
import type { Grant } from "../../src/store/oauth/grant-rows.ts"
import { Grants } from "../../src/store/oauth/grants.ts"
import type { ConnectedApps } from "../api/connected-apps.ts"
import type { Routes } from "../pipeline/action.ts"

const shown = ({ accountId: _, clientName: name, offline: __, ...rest }: Grant) => ({ ...rest, name })

/** The routes of `ConnectedApps`. */
export const connectedAppRoutes = Effect.gen(function* () {
  const grants = yield* Grants
  const authorizations = yield* makeAuthorizations
  const clock = yield* Clock.Clock
  const context = yield* Effect.context<Grants | Bus>()

  const routes: Routes<typeof ConnectedApps> = {
    list: ({ principal }) =>
      Effect.map(
        grants.listByAccount(principal.accountId, ownOnly(principal), clock.currentTimeMillisUnsafe()),
        (all) => ({ connectedApps: all.map(shown) })
      ),

    disconnect: Effect.fnUntraced(function* ({ principal, params: { appId } }) {
      const ended = yield* Effect.provideContext(endGrant(principal.accountId, ownOnly(principal), appId), context)
      if (!ended) return yield* new NotFound()
      return { success: true as const, id: appId }
    }),

    show: Effect.fnUntraced(function* ({ principal, payload: { query } }) {
      const { client, redirect, scopes, offline, issuer } = yield* authorizations.show(principal, query)
      const { id: clientId, name } = client
      const place = { redirectHost: redirect.host, redirectKind: redirect.kind }
      return { name, clientId, ...place, scopes: inWords(scopes), offline, issuer }
    }),

    approve: ({ principal, payload: { query, scopes, selector, offline = true } }) =>
      Effect.map(authorizations.approve(principal, query, { scopes, selector, offline }), (location) => ({ location })),

    deny: ({ principal, payload: { query } }) =>
      Effect.map(authorizations.deny(principal, query), (location) => ({ location }))
  }
  return routes
})
