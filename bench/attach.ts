/**
 * A hub that runs already, measured from outside: signed in with an account's e-mail address and password. Owns no
 * process: figures of CPU and memory need `pid`, on this machine.
 */
import { type BenchAccount, type BenchHub, callOf } from "./hub.ts"
import { reasonOf, Unfit } from "./unfit.ts"

/** A node of a hub: where it is, and its process where that is on this machine. */
export interface Place {
  readonly url: string
  readonly pid?: number
}

/** Where the hub is and who measures. */
export interface Attachment extends Place {
  readonly email: string
  readonly password: string
}

const scopes = ["ide:read", "ide:control", "agent:read", "agent:control", "terminal:exec", "webhook:manage"]
const patienceMillis = 10_000
/** What a bench asks in a minute, at the least. */
const limitMin = 1_000_000

const originOf = (url: string): string => {
  if (!URL.canParse(url) || new URL(url).protocol !== "http:")
    throw new Unfit(`--url is http://host:port, without TLS, not ${url}`)
  return new URL(url).origin
}

/** A node that answers; nothing is made there. */
export const attachNode = async ({ url, pid }: Place): Promise<BenchHub> => {
  const origin = originOf(url)
  const ready = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(patienceMillis) }).catch(
    (error: unknown) => {
      throw new Unfit(`no hub answers at ${origin}: ${reasonOf(error)}`)
    }
  )
  if (!ready.ok) throw new Unfit(`${origin} is no hub that is ready: /readyz answered ${ready.status}`)
  return {
    url: origin,
    pid: pid ?? 0,
    call: callOf(origin),
    command: () => Promise.reject(new Unfit("this scenario needs the hub's command line: leave out --url")),
    stop: async () => undefined
  }
}

/** Signs in and makes a key to measure with; it is revoked at the end by `stop`. */
export const attach = async ({ email, password, ...place }: Attachment): Promise<BenchHub> => {
  const node = await attachNode(place)
  const { url, call } = node
  const login = await call("POST", "/api/v1/auth/login", undefined, { email, password })
  if (login.status === 401) throw new Unfit(`${url} knows no account with this e-mail address and password`)
  if (login.status !== 200) throw new Unfit(`${url} does not sign in: ${login.status} ${JSON.stringify(login.body)}`)
  const session = login.body.token
  const made = await call("POST", "/api/v1/api-keys", session, { name: "bench", scopes })
  if (made.status !== 201) throw new Unfit(`${url} makes no key: ${made.status} ${JSON.stringify(made.body)}`)
  const stop = async (): Promise<void> => void (await call("DELETE", `/api/v1/api-keys/${made.body["id"]}`, session))
  const owner: BenchAccount = { accountId: "", key: made.body.key, session }
  await assertRaised(url, [owner.key, session]).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { ...node, owner, stop }
}

/** A hub that limits its callers as published would be measured for a second only. */
const assertRaised = async (url: string, bearers: ReadonlyArray<string>): Promise<void> => {
  for (const bearer of bearers) {
    const answer = await fetch(`${url}/api/v1/daemons`, { headers: { authorization: `Bearer ${bearer}` } })
    const policies = answer.headers.get("ratelimit-policy") ?? ""
    const limits = [...policies.matchAll(/q=(\d+);w=60\b/gu)].map(([, limit]) => Number(limit))
    if (limits.some((limit) => limit < limitMin))
      throw new Unfit(
        `${url} allows ${Math.min(...limits)} requests a minute: to measure it, start it with ` +
          "HUB_RATE_KEY_PER_MINUTE=100000000 and HUB_RATE_IP_PER_MINUTE=100000000"
      )
  }
}
