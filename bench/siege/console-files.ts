/**
 * The console and the pages of the reference, asked for behind one another with headers that are odd, from ever new
 * addresses; some connections read nothing of what they asked for.
 */
import type { Socket } from "node:net"
import { countAnswers } from "./answers.ts"
import { type Attack, attackerAddress } from "./attack.ts"
import { emptyTally, keepOpen } from "./sockets.ts"

const connections = 48
const unreadEvery = 8
/** Just below what an address may ask in a minute. */
const askedEach = 55
const paths = [
  "/console",
  "/console/app.js",
  "/console/app.css",
  "/docs",
  "/docs.md",
  "/llms.txt",
  "/openapi.json",
  "/asyncapi.json",
  "/"
]
const oddHeaders = [
  "range: bytes=0-0",
  `range: bytes=${Array.from({ length: 200 }, (_, at) => `${at}-${at + 1}`).join(",")}`,
  "range: bytes=-9007199254740993",
  "range: bytes=5-1,,-",
  `if-none-match: ${Array.from({ length: 100 }, (_, at) => `W/"${at}"`).join(", ")}`,
  "if-none-match: *",
  `if-none-match: "${"x".repeat(2_000)}`,
  `accept-encoding: ${Array.from({ length: 200 }, (_, at) => `gzip;q=0.${at}`).join(",")}`,
  "accept-encoding: identity;q=0, *;q=0",
  "accept-encoding: gzip, gzip, br;q=NaN, ;;q=",
  "accept-encoding: gzip",
  "accept: text/html;level=1;q=0.000000001, */*;q=-1"
]

/** Requests for every path, each with two of the headers. */
const asksOf = (host: string, turn: number): string =>
  Array.from({ length: askedEach }, (_, at) => {
    const nth = turn + at
    const odd = [oddHeaders[nth % oddHeaders.length], oddHeaders[(nth * 5 + 3) % oddHeaders.length]]
    return `GET ${paths[nth % paths.length]} HTTP/1.1\r\nhost: ${host}\r\n${odd.join("\r\n")}\r\n\r\n`
  }).join("")

/** From ever new addresses. */
export const consoleFiles: Attack = {
  finding: "console",
  asks: `the console and the reference with odd headers, ${connections} connections, a new address each ${askedEach} requests`,
  strike: async (target) => {
    const [tally, statuses] = [emptyTally(), { served: 0, unchanged: 0, refused: 0, putOff: 0, failed: 0 }]
    let turn = 0
    const from = (): string => attackerAddress(turn++)
    const count = (status: string): void => {
      if (status === "200") statuses.served++
      else if (status === "304") statuses.unchanged++
      // with a Retry-After, as who asks too much at once is told
      else if (status === "503") statuses.putOff++
      else if (status.startsWith("5")) statuses.failed++
      else statuses.refused++
    }
    await keepOpen(target, target.tiny ? 6 : connections, from, tally, (socket: Socket, at) => {
      let answered = 0
      if (at % unreadEvery === 1) socket.pause()
      // the next address comes when all is answered, or when the hub has closed what is not read
      else
        socket.on(
          "data",
          countAnswers((status) => {
            count(status)
            if (++answered >= askedEach) socket.destroy()
          })
        )
      const bytes = Buffer.from(asksOf(target.url.host, turn * 7))
      socket.write(bytes, () => {
        tally.bytesSent += bytes.length
      })
    })
    return { ...tally, ...statuses }
  },
  judge: ({ failed = 0 }) =>
    failed === 0 ? undefined : `${failed} requests for pages were answered with 5xx other than 503`
}
