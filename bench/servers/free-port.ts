/**
 * A free port of this machine, for a server that is started a moment later, and maybe again after its end.
 * Owns the choice: below the ports that systems give to outgoing connections, any of which could take it in between,
 * and given to no other process that asks here (on Linux) while this one lives.
 */
import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/**
 * Linux gives out ports from 32768 on; a Redis of a cluster also has the one 10,000 above its own, which is to be
 * below, too. `fetch` refuses 10080 (WHATWG, "bad ports").
 */
const [lowest, highest] = [10_081, 22_000]
const triesMax = 100

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once("error", () => resolve(false))
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () => probe.close(() => resolve(true)))
  })

/** Claims it by a name that only one process holds: its server may not listen yet, or not at the moment. */
const isClaimed = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    if (process.platform !== "linux") return resolve(true)
    const claim = createServer().unref()
    claim.once("error", () => resolve(false))
    claim.listen({ path: `\0hub.port.${port}`, exclusive: true }, () => resolve(true))
  })

/** Finds one. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < triesMax; tries++) {
    const port = randomInt(lowest, highest)
    if ((await isClaimed(port)) && (await isFree(port))) return port
  }
  throw new Error(`none of ${triesMax} ports was free`)
}
