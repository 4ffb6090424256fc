/**
 * Accounts, keys, daemons and webhooks that the regular load and the attackers have at a hub with its published limits.
 * Owns their making: each call has an address of its own, so that no limit by address is met. Measures nothing.
 */
import type { BenchHub } from "../servers/hub.ts"
import { callJson, type JsonAnswer } from "./json-calls.ts"

const password = "correct horse battery staple"
const scopes = ["ide:read", "ide:control", "agent:read", "agent:control", "terminal:exec", "webhook:manage"]
const perThird = 250
const atOnce = 8

/** The nth address of a /16 of 127.0.0.0/8; each group has its own. */
export const addressOf = (group: number, at: number): string =>
  `127.${group}.${1 + (Math.floor(at / perThird) % perThird)}.${1 + (at % perThird)}`

/** The groups of addresses. */
export const addressGroups = {
  setUp: 2,
  callers: 3,
  daemons: 4,
  comers: 5,
  attackers: 6,
  balancers: 7,
  crowd: 8
} as const

/** A daemon's id and token. */
export interface Enrolled {
  readonly daemonId: string
  readonly token: string
}

/** What is to be made for one account. */
export interface Wanted {
  readonly plan: "free" | "enterprise"
  readonly keys: number
  readonly daemons: number
  /** URLs, a webhook for all events each. */
  readonly webhooks?: ReadonlyArray<string>
}

/** An account and what it holds. */
export interface Holder {
  readonly accountId: string
  readonly email: string
  readonly password: string
  readonly session: string
  readonly keys: ReadonlyArray<string>
  readonly daemons: ReadonlyArray<Enrolled>
}

let addresses = 0
let accounts = 0

/** One call on a connection and from an address of its own. */
const callAside = (hub: BenchHub, method: string, path: string, bearer?: string, body?: unknown): Promise<JsonAnswer> =>
  callJson(new URL(hub.url), addressOf(addressGroups.setUp, addresses++), { method, path, bearer, body })

const repeated = async <A>(count: number, make: (at: number) => Promise<A>): Promise<Array<A>> => {
  const made: Array<A> = []
  while (made.length < count) {
    const wave = Math.min(atOnce, count - made.length)
    made.push(...(await Promise.all(Array.from({ length: wave }, (_, at) => make(made.length + at)))))
  }
  return made
}

const must = async (hub: BenchHub, wanted: number, ...call: [string, string, string?, unknown?]) => {
  const { status, body } = await callAside(hub, ...call)
  if (status !== wanted) throw new Error(`${call[0]} ${call[1]} answered ${status}: ${JSON.stringify(body)}`)
  return body as Readonly<Record<string, string>>
}

/** Makes an account with what it is to hold. */
export const makeHolder = async (hub: BenchHub, wanted: Wanted): Promise<Holder> => {
  const email = `siege-${process.pid}-${accounts++}@bench.local`
  const words = ["--email", email, "--password", password, "--plan", wanted.plan]
  const { accountId } = await hub.command("account", "create", ...words)
  const { token } = await must(hub, 200, "POST", "/api/v1/auth/login", undefined, { email, password })
  const session = token!
  const keys = await repeated(wanted.keys, async (at) => {
    const made = await must(hub, 201, "POST", "/api/v1/api-keys", session, { name: `siege ${at}`, scopes })
    return made["key"]!
  })
  const daemons = await repeated(wanted.daemons, async () => {
    const made = await must(hub, 201, "POST", "/api/v1/daemons/enroll", session, {})
    return { daemonId: made["daemonId"]!, token: made["token"]! }
  })
  for (const url of wanted.webhooks ?? [])
    await must(hub, 201, "POST", "/api/v1/webhooks", session, { url, events: ["*"] })
  return { accountId, email, password, session, keys, daemons }
}

/** Whether the hub still takes what must be written, and says that it does: an enrolment, and readiness. */
export const stillWrites = async (hub: BenchHub, holder: Holder): Promise<string | undefined> => {
  const failed = (): Pick<JsonAnswer, "status"> => ({ status: 0 })
  const enrolled = await callAside(hub, "POST", "/api/v1/daemons/enroll", holder.session, {}).catch(failed)
  if (enrolled.status !== 201) return `an enrolment afterwards answered ${enrolled.status}`
  const ready = await callAside(hub, "GET", "/readyz").catch(failed)
  return ready.status === 200 ? undefined : `/readyz afterwards answered ${ready.status}`
}
