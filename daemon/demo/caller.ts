/**
 * An integrator's calls to a hub, printed as they are made: the curl line, then status and answer. Owns the printing
 * and the comparison with the expected answer; knows no route.
 */
import { setTimeout as pause } from "node:timers/promises"

/** Longest answer that is shown whole; more is cut, and the line says how much there was. */
const shownCharactersMax = 700
/** How long a condition may take to come true. */
const patienceMillis = 60_000
const pollFirstMillis = 100
const pollLastMillis = 1_000

/** An answer. */
export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape, read by the caller
  readonly body: any
}

/** One call. `as` names whose credential it carries. */
export interface Call {
  readonly method?: "GET" | "POST"
  readonly path: string
  readonly body?: unknown
  readonly as?: "key" | "session" | "none"
}

const cut = (text: string): string =>
  text.length <= shownCharactersMax ? text : `${text.slice(0, shownCharactersMax)}… (${text.length} characters)`

/** The call as one would type it. */
export const curl = ({ method = "GET", path, body, as = "key" }: Call): string => {
  const parts = [`curl -s "$HUB${path}"`]
  if (as !== "none") parts.push(`-H "Authorization: Bearer $${as === "key" ? "KEY" : "SESSION"}"`)
  if (body !== undefined) parts.push(`--json '${JSON.stringify(body).replaceAll("'", "'\\''")}'`)
  else if (method !== "GET") parts.push(`-X ${method}`)
  return parts.join(" ")
}

/** A caller of one hub. */
export class Caller {
  readonly #url: string
  readonly #credentials: Map<string, string>
  readonly #print: (line: string) => void
  readonly #alive: () => void

  /** `alive` throws when calling and waiting have become pointless. */
  constructor(url: string, key: string, print: (line: string) => void, alive: () => void) {
    this.#url = url
    this.#credentials = new Map([["key", key]])
    this.#print = print
    this.#alive = alive
  }

  /** From now on there is a dashboard session too. */
  signedIn(token: string): void {
    this.#credentials.set("session", token)
  }

  /** Calls without showing it. */
  async quietly({ method = "GET", path, body, as = "key" }: Call): Promise<Answer> {
    this.#alive()
    const credential = this.#credentials.get(as)
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: response.status, body: await response.json().catch(() => undefined) }
  }

  /** Calls, shows both, and throws when the status is another than expected. */
  async call(title: string, call: Call, status = 200): Promise<Answer["body"]> {
    return this.#shown(title, call, await this.quietly(call), status)
  }

  /** Repeats a call until its answer fits; shows the last one. */
  async until(title: string, call: Call, fits: (body: Answer["body"]) => boolean): Promise<Answer["body"]> {
    const deadline = performance.now() + patienceMillis
    for (let wait = pollFirstMillis; ; wait = Math.min(pollLastMillis, wait * 1.5)) {
      const answer = await this.quietly(call)
      if (answer.status === 200 && fits(answer.body)) return this.#shown(title, call, answer, 200)
      if (performance.now() > deadline) {
        this.#shown(title, call, answer, answer.status)
        throw new Error(`"${title}" did not come true within ${patienceMillis / 1_000} s`)
      }
      this.#alive()
      await pause(wait)
    }
  }

  #shown(title: string, call: Call, answer: Answer, status: number): Answer["body"] {
    this.#alive()
    const masked = JSON.stringify(answer.body, (name, value) => (name === "token" ? "…" : value))
    this.#print(`\n# ${title}\n$ ${curl(call)}\n${answer.status} ${cut(masked ?? "")}`)
    if (answer.status !== status) throw new Error(`"${title}" was answered ${answer.status} instead of ${status}`)
    return answer.body
  }
}
