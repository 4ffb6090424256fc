/**
 * What the fuzzing has at a hub: accounts, credentials, daemons that answer, and the addresses it comes from. Owns
 * their making.
 */
import { randomBytes } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import type { BenchHub } from "../servers/hub.ts"
import { DaemonSocket, resultText } from "../siege/daemon-socket.ts"
import { KnownValues } from "./http/known-values.ts"

const password = "correct horse battery staple"
const scopes = ["ide:read", "ide:control", "agent:read", "agent:control", "terminal:exec", "webhook:manage"] as const
const againMillis = 100
const readyMillisMax = 10_000
const perThird = 250
const group = 8

/** The nth address that the fuzzing comes from. */
export const addressOf = (at: number): string =>
  `127.${group}.${1 + (Math.floor(at / perThird) % perThird)}.${1 + (at % perThird)}`

/** An account with a session and a key of it. */
export interface FuzzAccount {
  readonly session: string
  readonly key: string
  readonly email: string
}

/** A session that has just begun: what enrols a daemon needs a recent login. */
export const signIn = async (hub: BenchHub, email: string): Promise<string> =>
  (await hub.client().auth.login({ email, password })).token

/** Makes an account. */
export const fuzzAccount = async (hub: BenchHub, plan: string, admin = false): Promise<FuzzAccount> => {
  const email = `fuzz-${randomBytes(6).toString("hex")}@bench.local`
  const words = ["--email", email, "--password", password, "--plan", plan, ...(admin ? ["--admin"] : [])]
  await hub.command("account", "create", ...words)
  const token = await signIn(hub, email)
  const asked = [...scopes, ...(admin ? (["registry:publish"] as const) : [])]
  const { key } = await hub.client(token).keys.create({ name: "fuzz", scopes: asked })
  return { session: token, key: key!, email }
}

/** A daemon that answers each command at once, and comes back when it is sent away. */
export class AnsweringDaemon {
  readonly #url: URL
  readonly #token: string
  readonly #from: string
  #socket: DaemonSocket | undefined
  #isOver = false

  constructor(url: URL, token: string, from: string) {
    this.#url = url
    this.#token = token
    this.#from = from
    this.#open()
  }

  get ready(): boolean {
    return this.#socket?.ready === true
  }

  stop(): void {
    this.#isOver = true
    this.#socket?.cut()
  }

  #open(): void {
    if (this.#isOver) return
    this.#socket = new DaemonSocket(this.#url, this.#token, this.#from, {
      ready: (socket) => void socket.send([report]),
      command: (id, socket) => void socket.send([resultText(id, '{"accepted":true}')]),
      gone: () => void setTimeout(() => this.#open(), againMillis)
    })
  }
}

const session = (id: string, kind: string) => ({
  id,
  providerType: "fuzz-agent",
  kind,
  transport: "acp",
  status: "idle",
  workspace: { name: "a", path: "/a" }
})
const report = JSON.stringify({
  type: "status_report",
  data: {
    timestamp: 1,
    sessions: [session("s1", "agent"), session("s2", "agent"), session("w1", "workspace")],
    availableProviders: [{ type: "fuzz-agent", category: "acp" }]
  }
})

/** Enrols one more daemon. */
export const enrolDaemon = async (hub: BenchHub, account: Pick<FuzzAccount, "session">) => {
  const { daemonId, token } = await hub.client(account.session).daemons.enroll({})
  return { daemonId, token: token! }
}

/** Ends once all daemons are in. */
export const allReady = async (daemons: ReadonlyArray<AnsweringDaemon>): Promise<void> => {
  const patience = performance.now() + readyMillisMax
  while (!daemons.every(({ ready }) => ready)) {
    if (performance.now() > patience) throw new Error("the daemons of the fuzzing did not get in")
    await pause(10)
  }
}

/** What the inputs over HTTP know of the hub, and the daemons that answer them. */
export interface HttpSite {
  readonly known: KnownValues
  readonly stop: () => void
}

/** Makes it. */
export const httpSite = async (hub: BenchHub): Promise<HttpSite> => {
  const known = new KnownValues()
  const [main, other] = await Promise.all([fuzzAccount(hub, "enterprise", true), fuzzAccount(hub, "pro")])
  known.add("key", main.key)
  known.add("session", main.session)
  known.add("webhookSession", other.session)
  known.add("otherKey", other.key)
  for (let count = 0; count < 4; count++) known.add("spareSession", await signIn(hub, other.email))
  const daemons: Array<AnsweringDaemon> = []
  for (const name of ["daemonId", "daemonId", "restlessDaemonId"]) {
    const { daemonId, token } = await enrolDaemon(hub, main)
    known.add(name, daemonId)
    daemons.push(new AnsweringDaemon(new URL(hub.url), token, addressOf(perThird + daemons.length)))
  }
  const offline = await enrolDaemon(hub, main)
  known.add("daemonId", offline.daemonId)
  known.add("spareDaemonId", offline.daemonId)
  known.add("daemonToken", offline.token)
  const { key } = await hub.client(main.session).joinKeys.create({ name: "fuzz" })
  if (key !== undefined) known.add("joinKey", key)
  await allReady(daemons)
  return {
    known,
    stop: () => {
      for (const daemon of daemons) daemon.stop()
    }
  }
}
