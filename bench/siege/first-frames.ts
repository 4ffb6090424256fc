/** First frames of strangers: each takes long to parse, and its token is no daemon's. */
import { daemonTokens } from "../../src/auth/checksummed-token.ts"
import { preAuthFrameBytesMax } from "../../src/limits/sockets.ts"
import { textFrames } from "../fleet/frames.ts"
import { type Attack, attackerAddress } from "./attack.ts"
import { emptyTally, keepOpen, upgradeUnauthenticated } from "./sockets.ts"

const sockets = 60
const addresses = 6
const objectBytes = 14
let turn = 0

/** An `auth` that is as large as one of a stranger is read at once. */
const first = (): string => {
  turn++
  const head = `{"type":"auth","data":{"token":"${daemonTokens.make()}","protocol":1,"more":[`
  const objects = Array.from(
    { length: Math.floor((preAuthFrameBytesMax - 200) / (objectBytes + String(turn).length)) },
    (_, at) => `{"${turn}_${at}":0}`
  )
  return `${head}${objects.join(",")}]}}`
}

/** Without an account: each socket is closed, and another comes. */
export const firstFrames: Attack = {
  finding: "E1",
  asks: `${sockets} sockets of ${addresses} addresses at a time send 16 KB of small values before their token is known, and come back`,
  strike: async (target) => {
    const tally = emptyTally()
    const from = (at: number): string => attackerAddress(at % addresses)
    let frames = 0
    await keepOpen(target, target.tiny ? 2 : sockets, from, tally, (socket) =>
      upgradeUnauthenticated(socket, target.url, () => {
        frames++
        target.reach()
        socket.write(textFrames([first()]))
      })
    )
    return { frames, ...tally }
  }
}
