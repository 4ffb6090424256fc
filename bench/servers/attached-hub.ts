/**
 * A hub that runs already, measured from outside: signed in with an account's e-mail address and password. Owns no
 * process: figures of CPU and memory need `pid`, on this machine.
 */
import { problemOf, Refused } from "../../client/src/index.ts"
import { Enrolments } from "../fleet/enrolments.ts"
import { reasonOf, UsageError } from "../usage-error.ts"
import { type BenchAccount, type BenchHub, clientsOf } from "./hub.ts"

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

const scopes = ["ide:read", "ide:control", "agent:read", "agent:control", "terminal:exec", "webhook:manage"] as const
const patienceMillis = 10_000
/** What a bench asks in a minute, at the least. */
const limitMin = 1_000_000

const originOf = (url: string): string => {
  if (!URL.canParse(url) || new URL(url).protocol !== "http:")
    throw new UsageError(`--url is http://host:port, without TLS, not ${url}`)
  return new URL(url).origin
}

/** A node that answers; nothing is made there. */
export const attachNode = async ({ url, pid }: Place): Promise<BenchHub> => {
  const origin = originOf(url)
  const ready = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(patienceMillis) }).catch(
    (error: unknown) => {
      throw new UsageError(`no hub answers at ${origin}: ${reasonOf(error)}`)
    }
  )
  if (!ready.ok) throw new UsageError(`${origin} is no hub that is ready: /readyz answered ${ready.status}`)
  return {
    url: origin,
    pid: pid ?? 0,
    client: clientsOf(origin),
    command: () => Promise.reject(new UsageError("this scenario needs the hub's command line: leave out --url")),
    stop: async () => undefined
  }
}

const signIn = async ({ url, client }: BenchHub, email: string, password: string): Promise<string> => {
  const { token } = await client()
    .auth.login({ email, password })
    .catch((error: unknown) => {
      if (error instanceof Refused && error.status === 401)
        throw new UsageError(`${url} knows no account with this e-mail address and password`)
      throw new UsageError(`${url} does not sign in: ${reasonOf(error)}`)
    })
  return token
}

const keyRefusal = (url: string, error: unknown): UsageError => {
  const problem = problemOf("keys.create", error)
  return new UsageError(
    problem?.reason === "API_KEY_LIMIT_REACHED"
      ? `the account has all ${problem.limit} API keys of its plan at ${url}: revoke one for the bench`
      : `${url} makes no key: ${reasonOf(error)}`
  )
}

/**
 * Signs in and makes a key to measure with. `stop` takes back what the bench made there, key and daemons; `made` is
 * given it before there is anything to take back.
 */
export const attach = async (
  { email, password, ...place }: Attachment,
  made: (stop: () => Promise<void>) => void
): Promise<BenchHub> => {
  const node = await attachNode(place)
  const { url } = node
  const session = await signIn(node, email, password)
  const signedIn = async () => node.client(await signIn(node, email, password))
  const enrolments = new Enrolments(node.client(session), signedIn)
  const making = node.client(session).keys.create({ name: "bench", scopes: [...scopes] })
  const takeBack = async (): Promise<void> => {
    const left = await enrolments.close()
    const made = await making.catch(() => undefined)
    const revoked =
      made === undefined ||
      (await enrolments
        .recently(({ keys }) => keys.revoke({ keyId: made.id }))
        .then(
          () => true,
          () => false
        ))
    const kept = [...(left === 0 ? [] : [`${left} daemons`]), ...(revoked ? [] : ["the API key of the bench"])]
    if (kept.length > 0) throw new UsageError(`${kept.join(" and ")} could not be taken back at ${url}`)
  }
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopped ??= takeBack()
    return stopped
  }
  made(stop)
  const { key } = await making.catch((error: unknown) => {
    throw keyRefusal(url, error)
  })
  if (key === undefined) throw new UsageError(`${url} gave no key`)
  const owner: BenchAccount = { accountId: "", key, session }
  await assertRaised(url, [key, session])
  return { ...node, owner, enrolments, stop }
}

/** A hub that limits its callers as published would be measured for a second only. */
const assertRaised = async (url: string, bearers: ReadonlyArray<string>): Promise<void> => {
  for (const bearer of bearers) {
    const answer = await fetch(`${url}/api/v1/daemons`, { headers: { authorization: `Bearer ${bearer}` } })
    const policies = answer.headers.get("ratelimit-policy") ?? ""
    const limits = [...policies.matchAll(/q=(\d+);w=60\b/gu)].map(([, limit]) => Number(limit))
    if (limits.some((limit) => limit < limitMin))
      throw new UsageError(
        `${url} allows ${Math.min(...limits)} requests per minute: to measure it, start it with ` +
          "HUB_RATE_KEY_PER_MINUTE=100000000 and HUB_RATE_IP_PER_MINUTE=100000000"
      )
  }
}
