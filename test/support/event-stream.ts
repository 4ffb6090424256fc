/**
 * A live stream of events as its reader sees it: what has come so far, and whether it ended. Owns the reading; parses
 * nothing.
 */
import { until } from "./until.ts"

/** A stream that is being read. */
export interface EventStream {
  readonly status: number
  readonly headers: Headers
  readonly text: () => string
  readonly ended: () => boolean
  readonly close: () => void
}

/** Opens a stream and reads it until it ends or is closed. */
export const openEventStream = async (url: string, headers: Record<string, string>): Promise<EventStream> => {
  const abort = new AbortController()
  const answer = await fetch(url, { headers, signal: abort.signal })
  let text = ""
  let ended = false
  const pump = async (): Promise<void> => {
    const decoder = new TextDecoder()
    for await (const chunk of answer.body!) text += decoder.decode(chunk as Uint8Array, { stream: true })
  }
  void pump()
    .catch(() => undefined)
    .finally(() => {
      ended = true
    })
  return {
    status: answer.status,
    headers: answer.headers,
    text: () => text,
    ended: () => ended,
    close: () => abort.abort()
  }
}

/** The stream of an account's events, which has begun. */
export const openEvents = async (hub: { readonly url: string }, bearer: string, query = ""): Promise<EventStream> => {
  const stream = await openEventStream(`${hub.url}/api/v1/events${query}`, { authorization: `Bearer ${bearer}` })
  await until("the stream begins", () => stream.text().includes("id: "))
  return stream
}
