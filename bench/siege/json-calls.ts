/** Calls with JSON over connections of the siege. Owns one call, and the connection that a caller keeps. */
import { Agent, type IncomingHttpHeaders, request } from "node:http"
import { dial } from "../load/dial.ts"

const callMillisMax = 30_000

/** What is asked. */
export interface JsonCall {
  readonly method: string
  readonly path: string
  readonly bearer?: string | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** What came back; a body that is no object is none. */
export interface JsonAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
}

const objectOf = (text: string): Readonly<Record<string, unknown>> => {
  if (!text.startsWith("{")) return {}
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}

/** One call, on a connection of its own from this address, or on that of `kept`. */
export const callJson = (url: URL, from: string, call: JsonCall, kept?: Agent): Promise<JsonAnswer> =>
  new Promise((resolve, reject) => {
    const { method, path, bearer, body } = call
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      host: url.host,
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
      ...call.headers
    }
    const way = kept === undefined ? { createConnection: () => dial(url, from) } : { agent: kept }
    const asked = request({ method, path, headers, ...way, timeout: callMillisMax }, (answer) => {
      let said = ""
      answer.setEncoding("utf8").on("data", (piece: string) => {
        said += piece
      })
      answer.on("error", reject)
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: said, body: objectOf(said) })
      )
    })
    asked.on("timeout", () => asked.destroy(new Error(`${method} ${path} was not answered`)))
    asked.on("error", reject)
    asked.end(text)
  })

/** A connection that is kept between calls, from this address. */
class KeptConnection extends Agent {
  readonly #open: () => ReturnType<typeof dial>

  constructor(url: URL, from: string) {
    super({ keepAlive: true, maxSockets: 1 })
    this.#open = () => dial(url, from)
  }

  override createConnection(): ReturnType<typeof dial> {
    return this.#open()
  }
}

/** A caller that keeps its connection. */
export interface JsonCaller {
  readonly call: (call: JsonCall) => Promise<JsonAnswer>
  readonly close: () => void
}

/** Makes one. */
export const jsonCaller = (url: URL, from: string): JsonCaller => {
  const kept = new KeptConnection(url, from)
  return { call: (call) => callJson(url, from, call, kept), close: () => kept.destroy() }
}
