/** A receiver of webhooks for tests. Owns a server on a free port, what arrived at it, and how it answers, by path. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** One request that arrived. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The raw body. */
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any
}

/** How a request is answered: a status, a whole answer, by hand, or not at all. */
export type Reaction =
  | number
  | "hang"
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | { readonly by: (response: ServerResponse) => void }

/** A receiver. */
export interface Receiver {
  readonly url: (path?: string) => string
  readonly port: number
  /** Everything that arrived, in order; at a path, if one is named. */
  readonly at: (path?: string) => ReadonlyArray<Received>
  /** How a path answers from now on; 200 until said otherwise. A function chooses for each request. */
  readonly react: (path: string, reaction: Reaction | ((received: Received, nth: number) => Reaction)) => void
  /** Requests at a path that wait for an answer now, and the most there ever were. */
  readonly open: (path: string) => number
  readonly most: (path: string) => number
  /** Answers all that hang. */
  readonly release: (status?: number) => void
  /** Drops every connection and stops listening. */
  readonly close: () => Promise<void>
}

interface Traffic {
  open: number
  most: number
}

const give = (response: ServerResponse, reaction: Reaction, hanging: Set<ServerResponse>): void => {
  if (reaction === "hang") {
    hanging.add(response)
    response.once("close", () => hanging.delete(response))
    return
  }
  if (typeof reaction === "object" && "by" in reaction) return reaction.by(response)
  const { status, headers = {}, body = "" } = typeof reaction === "number" ? { status: reaction } : reaction
  response.writeHead(status, headers).end(body)
}

const bodyOf = (text: string, { "content-type": type }: IncomingHttpHeaders): unknown => {
  if (text === "" || type === "application/x-protobuf") return undefined
  return type === "application/x-ndjson"
    ? text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
    : JSON.parse(text)
}

/** Starts a receiver; on a given port, if one is named. */
export const startReceiver = async (port = 0): Promise<Receiver> => {
  const all: Array<Received> = []
  const counts = new Map<string, number>()
  const reactions = new Map<string, Reaction | ((received: Received, nth: number) => Reaction)>()
  const traffic = new Map<string, Traffic>()
  const hanging = new Set<ServerResponse>()
  // one that closes idle connections may close the one that is about to be used, where the machine stalls
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const path = request.url!
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString()
      const received = { path, headers: request.headers, text, body: bodyOf(text, request.headers) }
      all.push(received)
      const nth = (counts.get(path) ?? 0) + 1
      counts.set(path, nth)
      const now = traffic.get(path) ?? { open: 0, most: 0 }
      traffic.set(path, now)
      now.open++
      now.most = Math.max(now.most, now.open)
      response.once("close", () => now.open--)
      const chosen = reactions.get(path) ?? 200
      give(response, typeof chosen === "function" ? chosen(received, nth) : chosen, hanging)
    })
    request.on("error", () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  const listening = (server.address() as AddressInfo).port
  return {
    port: listening,
    url: (path = "/") => `http://127.0.0.1:${listening}${path}`,
    at: (path) => (path === undefined ? all : all.filter((one) => one.path === path)),
    react: (path, reaction) => reactions.set(path, reaction),
    open: (path) => traffic.get(path)?.open ?? 0,
    most: (path) => traffic.get(path)?.most ?? 0,
    release: (status = 200) => {
      for (const response of hanging) response.writeHead(status).end()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
