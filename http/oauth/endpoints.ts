/**
 * The endpoints of OAuth that clients call: metadata, authorization, token, revocation, registration. They speak the
 * words of the RFCs and are not in the API's document. Owns their paths and answers; src/auth/oauth has the rules.
 */
import { Effect } from "effect"
import type { OAuthRefused } from "../../src/auth/oauth/client-authentication.ts"
import { type Issuer, issuerOf, mcpPaths, resourceMetadataPath } from "../../src/auth/oauth/issuer.ts"
import { registerClient } from "../../src/auth/oauth/registration.ts"
import { makeTokenRequests } from "../../src/auth/oauth/token-requests.ts"
import { Config } from "../../src/config.ts"
import { NotFound } from "../../src/errors.ts"
import { oauthBodyBytesMax } from "../../src/limits/oauth.ts"
import { OAuthClients } from "../../src/store/oauth/clients.ts"
import type { Access } from "../api/access.ts"
import type { Endpoint } from "../pipeline/endpoint.ts"
import { problem } from "../pipeline/problem.ts"
import type { RequestExchange } from "../pipeline/request-exchange.ts"
import type { Body } from "../pipeline/request-parts.ts"
import { type Answer, emptyAnswer, json, jsonText } from "../pipeline/response.ts"
import { wholeTextOf } from "../pipeline/whole-text.ts"
import { oauthPaths, resourceMetadata, serverMetadata } from "./metadata.ts"

const anyone: Access = { kind: "public", onHangUp: "cancel" }
/** From memory, and asked for by hosted agents, all of whose people come from few addresses. */
const fromMemory: Access = { ...anyone, limited: false }
/** What changes the store: it runs to its end, so that a client which hangs up finds its secret used, not in doubt. */
const changing = { kind: "public", idempotent: false, bodyBytes: oauthBodyBytesMax, onHangUp: "finish" } as const

type Act = (exchange: RequestExchange, body: Body | undefined, address: () => string) => ReturnType<Endpoint["call"]>

const endpoint = (id: string, method: "GET" | "POST", path: string, access: Access, act: Act): Endpoint => ({
  id: `oauth.${id}`,
  method,
  path,
  access,
  headerNames: ["content-type"],
  takesBody: method === "POST",
  needsBody: method === "POST",
  call: (exchange, body, _, address) => act(exchange, body, address),
  encode: (value) => value as Answer,
  encodeFailure: problem
})

const kept = [["cache-control", "public, max-age=3600"]] as const

const document = (id: string, path: string, value: object): Endpoint => {
  const answer = json(200, value, kept)
  return endpoint(id, "GET", path, fromMemory, () => Effect.succeed(answer))
}

/** The documents below the public address. The root one is for clients that leave the path out. */
const documentsAt = (issuer: Issuer): ReadonlyArray<readonly [id: string, path: string, value: object]> => [
  ["server", "/.well-known/oauth-authorization-server", serverMetadata(issuer)],
  ["resource", resourceMetadataPath(""), resourceMetadata(issuer, issuer.resources[0])],
  ...mcpPaths.map(
    (path, at) => ["resource", resourceMetadataPath(path), resourceMetadata(issuer, issuer.resources[at]!)] as const
  )
]

const wellKnown = /^\/\.well-known\/[\w-]+/u

/** And below its host, where the public address has a path (RFC 8414, 3.1): a proxy passes those on as they are. */
const documents = (issuer: Issuer): ReadonlyArray<Endpoint> => {
  const base = new URL(issuer.issuer).pathname.replace(/\/$/u, "")
  const below = documentsAt(issuer)
  const ofHost = below.map(([id, path, value]) => [id, path.replace(wellKnown, `$&${base}`), value] as const)
  return [...below, ...(base === "" ? [] : ofHost)].map((one) => document(...one))
}

/** Sends a person's browser to the page that asks. Nothing is kept or read: a flood costs its own address only. */
const authorize = ({ issuer }: Issuer): Endpoint =>
  endpoint("authorize", "GET", oauthPaths.authorize, anyone, ({ query }) =>
    Effect.succeed(emptyAnswer(302, [["location", `${issuer}/console#/authorize?${query}`]]))
  )

const refusal = ({
  error,
  says
}: Pick<OAuthRefused, "error" | "says"> | { readonly error: string; readonly says: string }) =>
  json(
    error === "invalid_client" ? 401 : 400,
    { error, error_description: says },
    error === "invalid_client" ? [["www-authenticate", 'Basic realm="hub"']] : []
  )

const formType = /^application\/x-www-form-urlencoded\s*(?:;|$)/iu
const noForm = refusal({
  error: "invalid_request",
  says: "The body must be a form (application/x-www-form-urlencoded)."
})

/** A form without its empty parameters, which count as none (RFC 6749, 3.2). */
const formOf = (text: string): URLSearchParams =>
  new URLSearchParams([...new URLSearchParams(text)].filter(([, value]) => value !== ""))

/** The endpoints; none where there is no OAuth. */
export const oauthEndpoints = Effect.gen(function* () {
  const issuer = issuerOf(yield* Config)
  if (issuer === undefined) return []
  const requests = yield* makeTokenRequests(issuer)
  const clients = yield* OAuthClients

  const ofForm = (
    id: string,
    path: string,
    audits: Access["audits"],
    answer: (
      form: URLSearchParams,
      authorization: string
    ) => Effect.Effect<Answer, OAuthRefused | Parameters<typeof problem>[0]>
  ): Endpoint =>
    endpoint(id, "POST", path, { ...changing, ...(audits && { audits }), notes: "no refusal" }, (exchange, body) => {
      const text = wholeTextOf(body, oauthBodyBytesMax)
      if (typeof text !== "string") return Effect.fail(text)
      if (!formType.test(exchange.headers[0]!)) return Effect.succeed(noForm)
      return answer(formOf(text), exchange.authorization).pipe(
        Effect.catchTag("OAuthRefused", (refused) => Effect.succeed(refusal(refused)))
      )
    })

  const register = endpoint(
    "register",
    "POST",
    oauthPaths.register,
    { ...changing, audits: false },
    (_, body, address) => {
      if (!issuer.registers) return Effect.fail(new NotFound())
      const text = wholeTextOf(body, oauthBodyBytesMax)
      if (typeof text !== "string") return Effect.fail(text)
      let metadata: unknown
      try {
        metadata = JSON.parse(text)
      } catch {
        return Effect.succeed(refusal({ error: "invalid_client_metadata", says: "It is no JSON." }))
      }
      return registerClient(metadata, address()).pipe(
        Effect.provideService(OAuthClients, clients),
        Effect.map((registered) => json(201, registered)),
        Effect.catchTag("RegistrationRefused", (refused) => Effect.succeed(refusal(refused)))
      )
    }
  )

  return [
    ...documents(issuer),
    authorize(issuer),
    ofForm("token", oauthPaths.token, "app.connected", (form, authorization) =>
      Effect.map(requests.token({ form, authorization }), (answer) => jsonText(JSON.stringify(answer)))
    ),
    ofForm("revoke", oauthPaths.revoke, "app.disconnected", (form, authorization) =>
      Effect.as(requests.revoke({ form, authorization }), jsonText("{}"))
    ),
    ...(issuer.registers ? [register] : [])
  ]
})
