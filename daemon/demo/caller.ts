/**
 * An integrator's calls to a hub by the typed client, printed as they are made: the curl line, then status and answer.
 * Owns the printing and the comparison with the expected answer; knows no operation.
 */

import { setTimeout as pause } from "node:timers/promises"
import { createClient, type HubClient, Refused } from "../../client/src/index.ts"
import { cutToChars } from "../../src/domain/text/truncate.ts"

/** Longest answer that is shown whole; more is cut, and the line says how much there was. */
const shownCharactersMax = 700
/** How long a condition may take to come true. */
const patienceMillis = 60_000
const pollFirstMillis = 100
const pollLastMillis = 1_000

/** One call as it is shown. `as` names whose credential it carries. */
export interface Call {
  readonly path: string
  readonly body?: unknown
  readonly as?: "key" | "session" | "none"
}

const cut = (text: string): string =>
  text.length <= shownCharactersMax ? text : `${cutToChars(text, shownCharactersMax)}… (${text.length} characters)`

/** The call as one would type it. */
export const curl = ({ path, body, as = "key" }: Call): string => {
  const parts = [`curl -s "$HUB${path}"`]
  if (as !== "none") parts.push(`-H "Authorization: Bearer $${as === "key" ? "KEY" : "SESSION"}"`)
  if (body !== undefined)
    parts.push(`-H 'content-type: application/json' -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`)
  return parts.join(" ")
}

/** A caller of one hub. */
export class Caller {
  /** With the API key. */
  readonly key: HubClient
  /** Without any credential. */
  readonly anonymous: HubClient
  readonly #url: string
  #last = { line: "", answer: "" }
  readonly #print: (line: string) => void
  readonly #alive: () => void

  /** `alive` throws when calling and waiting have become pointless. */
  constructor(url: string, key: string, print: (line: string) => void, alive: () => void) {
    this.#url = url
    this.key = this.client("key", key)
    this.anonymous = this.client("none")
    this.#print = print
    this.#alive = alive
  }

  /** A client whose calls can be shown. */
  client(as: Call["as"], credential?: string): HubClient {
    const fetchNoted = async (url: string, init: RequestInit): Promise<Response> => {
      const response = await fetch(url, init)
      const { pathname, search } = new URL(url)
      // a POST without a body is typed with an empty one
      const body = init.method === "POST" ? JSON.parse(String(init.body ?? "{}")) : undefined
      const answer = `${response.status} ${cut(await response.clone().text())}`
      this.#last = { line: curl({ path: `${pathname}${search}`, body, as }), answer }
      return response
    }
    return createClient({
      url: this.#url,
      ...(credential !== undefined && { credential }),
      retries: 0,
      fetch: fetchNoted
    })
  }

  /** Makes a call and shows it; throws when it is refused. */
  async call<A>(title: string, made: () => PromiseLike<A>): Promise<A> {
    const answer = await this.#attempt(made)
    this.#show(title)
    if (answer instanceof Refused) throw new Error(`"${title}" was answered ${answer.status} instead of 200`)
    return answer
  }

  /** Makes a call that is to be refused with this status, and shows it. */
  async refused(title: string, status: number, made: () => PromiseLike<unknown>): Promise<void> {
    const answer = await this.#attempt(made)
    this.#show(title)
    const answered = answer instanceof Refused ? answer.status : 200
    if (answered !== status) throw new Error(`"${title}" was answered ${answered} instead of ${status}`)
  }

  /** Repeats a call until its answer fits; shows the last one. */
  async until<A>(title: string, made: () => PromiseLike<A>, fits: (answer: A) => boolean): Promise<A> {
    const deadline = performance.now() + patienceMillis
    for (let wait = pollFirstMillis; ; wait = Math.min(pollLastMillis, wait * 1.5)) {
      const answer = await this.#attempt(made)
      const fitting = !(answer instanceof Refused) && fits(answer)
      const late = performance.now() > deadline
      if (fitting || late) this.#show(title)
      if (fitting) return answer
      if (late) throw new Error(`"${title}" did not come true within ${patienceMillis / 1_000} s`)
      this.#alive()
      await pause(wait)
    }
  }

  async #attempt<A>(made: () => PromiseLike<A>): Promise<A | Refused> {
    this.#alive()
    try {
      return await made()
    } catch (error) {
      if (error instanceof Refused) return error
      throw error
    }
  }

  // not whether all is alive: a daemon that was just revoked has ended
  #show(title: string): void {
    this.#print(`\n# ${title}\n$ ${this.#last.line}\n${this.#last.answer}`)
  }
}
