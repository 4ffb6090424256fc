/**
 * The daemons that a bench enrols at a hub which is not its own. Owns the list of them and that they are taken back:
 * revoked, and deleted where the hub can do that. Measures nothing.
 */
import type { Json, JsonCall } from "../servers/json-call.ts"
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

const limitReached = (body: Json): UsageError =>
  new UsageError(
    `the account's plan (${body["plan"]}) allows ${body["limit"]} daemons, and the bench needs more: ask for fewer ` +
      "(--daemons N), or give the account a larger plan (hub account plan A --plan enterprise)"
  )

/** The daemons of one run. */
export class Enrolments {
  readonly #call: JsonCall
  readonly #signIn: () => Promise<string>
  readonly #made = new Set<string>()
  readonly #underWay = new Set<Promise<unknown>>()
  #session: string
  #signingIn: Promise<string> | undefined
  #deletes = true
  #over = false

  /** `signIn` gives a session whose login is recent: enrolling and revoking need one, and a bench may take longer. */
  constructor(call: JsonCall, session: string, signIn: () => Promise<string>) {
    this.#call = call
    this.#session = session
    this.#signIn = signIn
  }

  /** How many there are. */
  get count(): number {
    return this.#made.size
  }

  /** Enrols one. */
  async enrol(): Promise<Enrolled> {
    if (this.#over) throw new Error("the bench ends: it enrols nothing more")
    const asked = this.recently("POST", "/api/v1/daemons/enroll", {}).then(({ status, body }) => {
      if (body["reason"] === "DAEMON_LIMIT_REACHED") throw limitReached(body)
      if (status !== 201) throw new Error(`enrolment answered ${status}: ${JSON.stringify(body)}`)
      this.#made.add(body.daemonId)
      return { daemonId: body.daemonId, token: body.token }
    })
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

  async #takeBackOne(id: string): Promise<boolean> {
    const path = `/api/v1/daemons/${id}`
    const revoked = await this.recently("POST", `${path}/revoke`, {})
    if (revoked.status !== 200 && revoked.status !== gone) return false
    if (!this.#deletes) return true
    const { status } = await this.recently("DELETE", path)
    // a hub that cannot delete has no such route
    if (status === gone || status === notAllowed) this.#deletes = false
    return true
  }

  /** A call that needs a recent login. */
  async recently(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }> {
    const asked = this.#session
    const answer = await this.#call(method, path, asked, body)
    if (answer.body["code"] !== "RECENT_LOGIN_REQUIRED") return answer
    // one login for all who asked with the same session
    if (asked === this.#session) {
      this.#signingIn ??= this.#signIn().finally(() => {
        this.#signingIn = undefined
      })
      this.#session = await this.#signingIn
    }
    return this.#call(method, path, this.#session, body)
  }
}
