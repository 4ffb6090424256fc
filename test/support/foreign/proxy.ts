/**
 * A proxy before a hub that does not always pass on what comes: it answers in its own words, sends elsewhere, cuts or
 * compresses. Owns its server; each oddity is a word.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http"
import { type AddressInfo, connect } from "node:net"
import type { Duplex } from "node:stream"
import { createGzip } from "node:zlib"

/**
 * `html <status>`: a page of the proxy's own. `<30x> <address>`: a redirect. `cut`: the connection ends without an
 * answer, or in the midst of a stream. `compress`: the answer is gzipped, and goes out when a block is full.
 */
export type ProxyOddity = `html ${number}` | `${301 | 302 | 307 | 308} ${string}` | "cut" | "compress"

/** A running one. */
export interface ForeignProxy {
  readonly url: string
  /** The method and path of what came, oldest first. */
  readonly asked: ReadonlyArray<string>
  /** What it does with the next requests, one each; then it passes on. */
  readonly next: (...oddities: ReadonlyArray<ProxyOddity>) => void
  /** Ends every open connection. */
  readonly cut: () => void
  readonly close: () => Promise<void>
}

const headOf = (oddity: string): { status: number; headers: Record<string, string>; body: string } => {
  const [word, rest = ""] = oddity.split(" ")
  if (word !== "html") return { status: Number(word), headers: { location: rest }, body: "" }
  const headers = { "content-type": "text/html; charset=utf-8", server: "front" }
  return { status: Number(rest), headers, body: "<html><body>not now</body></html>" }
}

/** Starts one before the hub of this address. */
export const startForeignProxy = async (target: string): Promise<ForeignProxy> => {
  const { hostname, port } = new URL(target.replace(/^ws/u, "http"))
  const waiting: Array<ProxyOddity> = []
  const asked: Array<string> = []
  const open = new Set<Duplex>()
  const pass = (request: IncomingMessage, response: ServerResponse, compress: boolean): void => {
    const { method, url: path, headers } = request
    const onwards = send({ hostname, port, method, path, headers }, (answer) => {
      const { "content-length": length, ...rest } = answer.headers
      const plain = !compress || (rest["cache-control"] ?? "").includes("no-transform")
      const head = plain ? answer.headers : { ...rest, "content-encoding": "gzip" }
      response.writeHead(answer.statusCode ?? 502, head)
      if (plain) response.flushHeaders()
      ;(plain ? answer : answer.pipe(createGzip())).pipe(response)
    })
    onwards.on("error", () => response.destroy())
    response.on("close", () => onwards.destroy())
    request.pipe(onwards)
  }
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const oddity = waiting.shift()
    if (oddity === "cut") return void request.socket.destroy()
    if (oddity === undefined || oddity === "compress") return pass(request, response, oddity === "compress")
    const { status, headers, body } = headOf(oddity)
    response.writeHead(status, headers).end(body)
  })
  server.on("connection", (socket) => {
    open.add(socket)
    socket.on("close", () => open.delete(socket))
  })
  server.on("upgrade", ({ method, url, headers }, socket, head) => {
    asked.push(`${method} ${url}`)
    const oddity = waiting.shift()
    if (oddity === "cut") return void socket.destroy()
    const lines = (all: object) => Object.entries(all).map((one) => `${one.join(": ")}\r\n`)
    if (oddity !== undefined && oddity !== "compress") {
      const { status, headers: own, body } = headOf(oddity)
      const length = { ...own, "content-length": body.length, connection: "close" }
      return void socket.end(`HTTP/1.1 ${status} No\r\n${lines(length).join("")}\r\n${body}`)
    }
    const onwards = connect(Number(port), hostname, () => {
      onwards.write(`GET ${url} HTTP/1.1\r\n${lines(headers).join("")}\r\n`)
      onwards.write(head)
      onwards.pipe(socket).pipe(onwards)
    })
    for (const [one, other] of [
      [onwards, socket],
      [socket, onwards]
    ] as const) {
      one.on("error", () => other.destroy())
      one.on("close", () => other.destroy())
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    next: (...oddities) => void waiting.push(...oddities),
    cut,
    close: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
