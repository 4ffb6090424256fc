/**
 * The daemons that a bench enrols at a hub which is not its own. Owns the list of them and that they are taken back:
 * revoked, and deleted where the hub can do that. Measures nothing.
 */
import { type HubClient, problemOf, Refused } from "../../client/src/index.ts"
import { UsageError } from "../usage-error.ts"

/** One enrolled daemon. */
export interface Enrolled {
  readonly daemonId: string
  readonly token: string
}

/** Calls at once when enrolments are taken back. */
const atOnce = 16
/** Why a daemon that was to be revoked or deleted counts as gone: it is not there any more. */
const gone = 404
const notAllowed = 405
/** The hub keeps the outcome of a key for a day: thousands of enrolments would fill their account's share. */
const unkeyed = { idempotencyKey: false } as const

const limitReached = (plan: string, limit: number): UsageError =>
  new UsageError(
    `the account's plan (${plan}) allows ${limit} daemons, and the bench needs more: ask for fewer ` +
      "(--daemons N), or give the account a larger plan (hub account plan A --plan enterprise)"
  )

/** The status of a call's answer; rejected where there is none. */
const statusOf = async (call: Promise<unknown>): Promise<number> => {
  try {
    await call
    return 200
  } catch (error) {
    if (error instanceof Refused) return error.status
    throw error
  }
}

/** The daemons of one run. */
export class Enrolments {
  readonly #signIn: () => Promise<HubClient>
  readonly #made = new Set<string>()
  readonly #underWay = new Set<Promise<unknown>>()
  #client: HubClient
  #signingIn: Promise<HubClient> | undefined
  #deletes = true
  #over = false

  /** `signIn` gives a client whose login is recent: enrolling and revoking need one, and a bench may take longer. */
  constructor(client: HubClient, signIn: () => Promise<HubClient>) {
    this.#client = client
    this.#signIn = signIn
  }

  /** How many there are. */
  get count(): number {
    return this.#made.size
  }

  /** Enrols one. */
  async enrol(): Promise<Enrolled> {
    if (this.#over) throw new Error("the bench ends: it enrols nothing more")
    const asked = this.#enrolOne()
    this.#underWay.add(asked)
    try {
      return await asked
    } finally {
      this.#underWay.delete(asked)
    }
  }

  /** Takes back all of them; gives how many could not be. */
  async takeBack(): Promise<number> {
    await Promise.allSettled([...this.#underWay])
    const left = [...this.#made]
    const worker = async (): Promise<void> => {
      for (let id = left.pop(); id !== undefined; id = left.pop())
        if (await this.#takeBackOne(id)) this.#made.delete(id)
    }
    // a hub that does not answer is not asked for each of them
    const stop = (): void => void left.splice(0)
    await Promise.all(Array.from({ length: atOnce }, () => worker().catch(stop)))
    return this.#made.size
  }

  /** Enrols nothing more, and takes back what there is. */
  async close(): Promise<number> {
    this.#over = true
    return this.takeBack()
  }

  async #enrolOne(): Promise<Enrolled> {
    try {
      const { daemonId, token } = await this.recently(({ daemons }) => daemons.enroll({}, unkeyed))
      this.#made.add(daemonId)
      if (token === undefined) throw new Error(`the hub gave no token for ${daemonId}`)
      return { daemonId, token }
    } catch (error) {
      const problem = problemOf("daemons.enroll", error)
      throw problem?.reason === "DAEMON_LIMIT_REACHED" ? limitReached(problem.plan, problem.limit) : error
    }
  }

  async #takeBackOne(daemonId: string): Promise<boolean> {
    const revoked = await statusOf(this.recently(({ daemons }) => daemons.revoke({ daemonId }, unkeyed)))
    if (revoked !== 200 && revoked !== gone) return false
    if (!this.#deletes) return true
    const status = await statusOf(this.recently(({ daemons }) => daemons.remove({ daemonId })))
    // a hub that cannot delete has no such route
    if (status === gone || status === notAllowed) this.#deletes = false
    return true
  }

  /** A call that needs a recent login. */
  async recently<A>(call: (client: HubClient) => Promise<A>): Promise<A> {
    const asked = this.#client
    try {
      return await call(asked)
    } catch (error) {
      if (!(error instanceof Refused) || error.reason !== "RECENT_LOGIN_REQUIRED") throw error
    }
    // one login for all who asked with the same session
    if (asked === this.#client) {
      this.#signingIn ??= this.#signIn().finally(() => {
        this.#signingIn = undefined
      })
      this.#client = await this.#signingIn
    }
    return call(this.#client)
  }
}
