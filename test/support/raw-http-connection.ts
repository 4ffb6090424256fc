/** Requests byte by byte, for what no HTTP client would send. Owns a TCP connection and the reading of answers. */
import { connect } from "node:net"
import { connect as connectTls } from "node:tls"

/** One answer as it came. */
export interface WireAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** A raw connection. */
export interface Wire {
  readonly write: (bytes: string | Buffer) => void
  /** The next whole answer; undefined when the connection ends before one. */
  readonly answer: (options?: { readonly head?: boolean }) => Promise<WireAnswer | undefined>
  /** Ends once the other side has closed the connection. */
  readonly closed: Promise<void>
  /** Says that nothing more comes, and reads on. */
  readonly finish: () => void
  readonly destroy: () => void
}

const parseHead = (head: string) => {
  const [line = "", ...lines] = head.split("\r\n")
  const headers = new Map<string, string>()
  for (const one of lines) {
    const colon = one.indexOf(":")
    headers.set(one.slice(0, colon).toLowerCase(), one.slice(colon + 1).trim())
  }
  return { status: Number(line.split(" ")[1]), headers }
}

/** Opens a connection to a hub's address. */
export const openWire = async (url: string, options: { readonly ca?: Buffer } = {}): Promise<Wire> => {
  const { hostname, port, protocol } = new URL(url)
  const socket =
    protocol === "https:"
      ? connectTls({ host: hostname, port: Number(port), ca: options.ca, servername: "localhost" })
      : connect(Number(port), hostname)
  let received = Buffer.alloc(0)
  let ended = false
  let notify = (): void => {}
  const closed = new Promise<void>((resolve) => {
    socket.on("close", () => {
      ended = true
      notify()
      resolve()
    })
  })
  socket.on("error", () => {})
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk])
    notify()
  })
  await new Promise<void>((resolve, reject) => {
    socket.once(protocol === "https:" ? "secureConnect" : "connect", () => resolve())
    socket.once("error", reject)
  })
  const more = (): Promise<void> =>
    new Promise((resolve) => {
      notify = resolve
    })
  const answer: Wire["answer"] = async ({ head: bodiless = false } = {}) => {
    for (;;) {
      const at = received.indexOf("\r\n\r\n")
      if (at >= 0) {
        const { status, headers } = parseHead(received.subarray(0, at).toString("latin1"))
        const length =
          bodiless || status < 200 || status === 204 || status === 304 ? 0 : Number(headers.get("content-length") ?? 0)
        if (received.length >= at + 4 + length) {
          const body = received.subarray(at + 4, at + 4 + length).toString("utf8")
          received = received.subarray(at + 4 + length)
          return { status, headers, body }
        }
      }
      if (ended) return undefined
      await more()
    }
  }
  return {
    write: (bytes) => void socket.write(bytes),
    answer,
    closed,
    finish: () => void socket.end(),
    destroy: () => socket.destroy()
  }
}

/** The bytes of a request without a body. */
export const requestBytes = (line: string, ...headers: ReadonlyArray<string>): string =>
  `${[`${line} HTTP/1.1`, ...headers].join("\r\n")}\r\n\r\n`

/** What such a request is answered on a connection of its own. */
export const askWire = async (url: string, line: string, ...headers: ReadonlyArray<string>): Promise<WireAnswer> => {
  const wire = await openWire(url)
  wire.write(requestBytes(line, ...headers))
  const answer = await wire.answer({ head: line.startsWith("HEAD ") })
  wire.destroy()
  return answer!
}
