/**
 * What a signed-in person decides on a client's request: it is shown, approved with a code, or denied. Owns that each
 * is judged anew from the request itself, of which the hub keeps nothing until there is a code.
 */
import { Clock, Effect } from "effect"
import { Config } from "../../config.ts"
import { readKeySelector } from "../../domain/account/key-selector.ts"
import type { Principal } from "../../domain/account/principal.ts"
import type { Scope } from "../../domain/account/scopes.ts"
import { errorLocation, judgeRequest, readAuthorizationRequest } from "../../domain/oauth/authorization-request.ts"
import { narrowedTo } from "../../domain/oauth/granted-scopes.ts"
import { redirectWith } from "../../domain/oauth/redirect-uri.ts"
import { AuthForbidden, AuthorizationRefused, NotFound, Overloaded, ValidationFailed } from "../../errors.ts"
import { authorizationCodeMillis, codesRetrySeconds } from "../../limits/oauth.ts"
import { Grants } from "../../store/oauth/grants.ts"
import { hashCredential } from "../api-key.ts"
import { issuerOf } from "./issuer.ts"
import { KnownClients } from "./known-clients.ts"
import { authorizationCodes } from "./secrets.ts"

/** What a person gives of what was asked for. */
interface Approval {
  readonly scopes: ReadonlyArray<Scope>
  /** The daemons that it is bound to; undefined or "": all. */
  readonly selector?: string | undefined
  /** It stays connected until it is not used for long. */
  readonly offline: boolean
}

const unasked = new ValidationFailed({ issues: [{ path: "scopes", message: "must be among those it asks for" }] })

/** Makes the decisions of people. */
export const makeAuthorizations = Effect.gen(function* () {
  const settings = yield* Config
  const issuer = issuerOf(settings)
  const clients = yield* KnownClients
  const grants = yield* Grants
  const clock = yield* Clock.Clock

  /**
   * What a request asks for, as far as this person may grant it. `query`: that of the authorization endpoint, as it
   * came. NotFound: there is no OAuth.
   */
  const show = Effect.fnUntraced(function* (principal: Principal, query: string) {
    if (issuer === undefined) return yield* new NotFound()
    const read = readAuthorizationRequest(query)
    if (typeof read === "string") return yield* new AuthorizationRefused({ because: read })
    const judgement = judgeRequest(read, yield* clients.find(read.clientId, principal.accountId), issuer)
    if (!("error" in judgement)) {
      const scopes = narrowedTo(judgement.scopes, principal.scopes)
      if (scopes.length > 0) return { ...judgement, scopes, issuer: issuer.issuer }
      return yield* new AuthorizationRefused({ because: "You may do nothing of what the program asks for." })
    }
    const { says, location } = judgement
    return yield* new AuthorizationRefused({
      because: `The program's request is refused. ${says}`,
      ...(location !== undefined && { location })
    })
  })

  return {
    show,

    /** Grants it, and gives the address with the code that the person's browser is to go to. */
    approve: Effect.fnUntraced(function* (principal: Principal, query: string, approval: Approval) {
      const { accountId, person: personId } = principal
      // only a person grants: the session of a member always has one
      if (settings.keyIssuing === "disabled" || personId === undefined) return yield* new AuthForbidden({})
      const { client, redirect, ...request } = yield* show(principal, query)
      const scopes = request.scopes.filter((scope) => approval.scopes.includes(scope))
      if (scopes.length === 0 || scopes.length !== new Set(approval.scopes).size) return yield* unasked
      const selector = yield* Effect.fromResult(readKeySelector(approval.selector, scopes, principal.selector))
      const code = authorizationCodes.make()
      const createdAt = clock.currentTimeMillisUnsafe()
      const added = yield* grants.addCode(hashCredential(code), {
        ...{ accountId, personId, scopes, selector, createdAt },
        clientId: client.id,
        clientName: client.name,
        redirectUri: request.redirectUri,
        redirectHost: redirect.host,
        challenge: request.challenge,
        resource: request.resource,
        offline: request.offline && approval.offline,
        expiresAt: createdAt + authorizationCodeMillis
      })
      if (added === "full") return yield* new Overloaded({ retryAfter: codesRetrySeconds })
      return redirectWith(request.redirectUri, { code, state: request.state, iss: request.issuer })
    }),

    /** Refuses it, and gives the address by which the client learns of it. */
    deny: (principal: Principal, query: string) =>
      Effect.map(show(principal, query), ({ redirectUri, issuer, state }) =>
        errorLocation(redirectUri, issuer, state, { error: "access_denied", says: "The person refused it." })
      )
  }
})
