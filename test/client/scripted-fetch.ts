/** A `fetch` for the client that answers from a script, and a wait that only counts. Owns what was asked and waited. */
import type { ClientOptions } from "../../client/src/transport.ts"

/** One answer of the script; an error stands for a connection that is lost. */
export type Scripted = Response | Error

/** What was sent. */
export interface Asked {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** A JSON answer. */
export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

/** An error of the hub. */
export const problem = (status: number, reason: string, retryAfter?: number): Response =>
  json(
    status,
    { error: "A sentence.", reason, requestId: "req_1" },
    retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }
  )

/** A stream of Server-Sent Events that ends after its text. */
export const stream = (text: string): Response =>
  new Response(text, { status: 200, headers: { "content-type": "text/event-stream" } })

/** Options of a client that is answered from the script, in order; one call more fails the test. */
export const scripted = (script: ReadonlyArray<Scripted>) => {
  const asked: Array<Asked> = []
  const waited: Array<number> = []
  const options = {
    url: "http://hub.test",
    credential: "hub_key",
    random: () => 0,
    wait: async (millis: number, signal: AbortSignal | undefined) => {
      signal?.throwIfAborted()
      waited.push(millis)
    },
    fetch: async (url: string, init: RequestInit) => {
      init.signal?.throwIfAborted()
      const body = typeof init.body === "string" ? (JSON.parse(init.body) as unknown) : undefined
      asked.push({ url, method: init.method ?? "GET", headers: init.headers as Record<string, string>, body })
      const next = script[asked.length - 1]
      if (next === undefined) throw new RangeError("the script has no further answer")
      if (next instanceof Error) throw next
      return next.clone()
    }
  } satisfies ClientOptions
  return { options, asked, waited }
}
