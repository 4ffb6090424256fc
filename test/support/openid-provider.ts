/**
 * A real OpenID Connect provider on this machine, and a browser that signs in there. Owns both; the provider's people
 * are whoever signs in: `ann` is ann@example.org, vouched for; `unvouched-…` is not; `nameless` has no address.
 */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import Provider from "oidc-provider"

const clientId = "hub"
const hopsMax = 20

/** A running provider. */
export interface TestProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The groups of people, by their names; of who is not there it says none. */
  readonly groups: Map<string, ReadonlyArray<string>>
  readonly close: () => Promise<void>
}

const findAccount = (groups: TestProvider["groups"]) => (_context: unknown, sub: string) => ({
  accountId: sub,
  claims: () => ({
    sub,
    ...(groups.has(sub) && { groups: groups.get(sub) }),
    ...(sub === "nameless"
      ? {}
      : { email: `${sub.replace("unvouched-", "")}@example.org`, email_verified: !sub.startsWith("unvouched-") })
  })
})

/** Starts a provider that sends people back to `redirectUri`. */
export const startProvider = async (
  redirectUri: string,
  clientSecret = "a secret only of this test"
): Promise<TestProvider> => {
  const groups: TestProvider["groups"] = new Map()
  let answer: RequestListener = () => {}
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: "client_secret_post"
      }
    ],
    claims: { openid: ["sub", "groups"], email: ["email", "email_verified"] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    cookies: { keys: ["a key of this test"] },
    findAccount: findAccount(groups)
  })
  answer = provider.callback()
  return {
    issuer,
    clientId,
    clientSecret,
    groups,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}

/** A browser that keeps cookies and signs in as someone; gives the address it is sent back to. */
export const signInAt = async (location: string, person: string): Promise<URL> => {
  const cookies = new Map<string, string>()
  let next = location
  const go = async (init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const answer = await fetch(next, { redirect: "manual", ...init, headers: { ...init.headers, cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ""] = line.split(";")
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1))
    }
    return answer
  }
  const form = (fields: Record<string, string>): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString()
  })
  const home = new URL(location).origin
  let answer = await go()
  for (let hop = 0; hop < hopsMax; hop++) {
    const to = answer.headers.get("location")
    if (to !== null) {
      const url = new URL(to, next)
      if (url.origin !== home) return url
      next = url.href
      answer = await go()
      continue
    }
    const page = await answer.text()
    const login = page.includes('name="login"')
    answer = await go(form(login ? { prompt: "login", login: person, password: "x" } : { prompt: "consent" }))
  }
  throw new Error("the provider sends the browser in circles")
}
