/**
 * Frames, logs, results and bodies of many small values with names of their own: few bytes that take long to parse.
 * Owns their texts; how much an account's daemons may cost is src/limits/cost.ts's.
 */
import { type Attack, attackerAddress, type Target } from "./attack.ts"
import { askAgain, type DaemonTally, keepDaemons, named, repeatedly } from "./attacker-daemons.ts"
import { resultText } from "./daemon-socket.ts"
import { emptyTally, keepOpen } from "./sockets.ts"

const freeDaemons = 20
const objects = 4_200
let turn = 0

/** Some 60 KB. */
const dense = (): string => {
  turn++
  return `[${Array.from({ length: objects }, (_, at) => `{"${turn}_${at}":0}`).join(",")}]`
}

const burstFrames = 27
const burstMillis = 10_000
const burstDaemons = 6

/** Of one free account, without a single call. */
export const denseEvents: Attack = {
  finding: "H1",
  asks: `${burstDaemons} daemons send ${burstFrames} events of 60 KB of small values at once, each ${burstMillis / 1_000} s`,
  holds: () => ({ plan: "free", keys: 0, daemons: burstDaemons }),
  strike: async (target) => {
    const [tally, said]: [DaemonTally, { frames: number }] = [{ online: 0, closed: 0 }, { frames: 0 }]
    await keepDaemons(target, tally, {}, (socket) => {
      const burst = (): boolean => {
        for (let at = 0; at < (target.tiny ? 2 : burstFrames) && socket.ready; at++) {
          said.frames++
          socket.send([`{"type":"status_event","data":{"event":"agent:stopped","timestamp":1,"more":${dense()}}}`])
        }
        return socket.ready
      }
      target.reach()
      burst()
      repeatedly(target, burstMillis, burst)
    })
    return { ...said, ...tally }
  }
}

const accounts = 10

/** The same of ten accounts at once, each within its own budget. */
export const denseAccounts: Attack = {
  ...denseEvents,
  asks: `${accounts} accounts, of each: ${denseEvents.asks}`,
  accounts: (tiny) => (tiny ? 2 : accounts),
  strike: async (target) => {
    const all = await Promise.all(target.holders.map((holder) => denseEvents.strike({ ...target, holder })))
    const sum = (name: string): number => all.reduce((sofar, counts) => sofar + (counts[name] ?? 0), 0)
    return { frames: sum("frames"), online: sum("online"), closed: sum("closed") }
  }
}

const logMillis = 200
const session = "siege0"
const place = `"log":{"kind":"session","id":"${session}"},"logId":"siege"`

/** Of one free account: each machine's session is read by one stream. */
export const denseLogs: Attack = {
  finding: "C2",
  asks: `${freeDaemons} daemons with one stream each send 60 KB of small values as log events each ${logMillis} ms`,
  holds: (tiny) => ({ plan: "free", keys: 1, daemons: tiny ? 2 : freeDaemons }),
  strike: async (target) => {
    const [online, streams] = [{ online: 0, closed: 0 }, emptyTally()]
    const said = { frames: 0, pages: 0 }
    let reading: Promise<void> | undefined
    const hears = {
      capabilities: ["session_log"],
      command: (id: string, socket: { send: (texts: ReadonlyArray<string>) => void }) => {
        said.pages++
        socket.send([
          resultText(id, `{"logId":"siege","firstSeq":1,"lastSeq":${said.frames},"events":[],"more":false}`)
        ])
      }
    }
    await keepDaemons(target, online, hears, (socket) => {
      socket.send([
        `{"type":"status_report","data":{"timestamp":1,"sessions":[{"id":"${session}","providerType":"siege","kind":"agent","transport":"acp","status":"generating"}]}}`,
        `{"type":"log_events","data":{${place},"lastSeq":0,"events":[]}}`
      ])
      let seq = 0
      repeatedly(target, logMillis, () => {
        said.frames++
        seq++
        const event = `{"seq":${seq},"type":"plan","timestamp":1,"more":${dense()}}`
        socket.send([`{"type":"log_events","data":{${place},"lastSeq":${seq},"events":[${event}]}}`])
        return socket.ready
      })
      if (online.online === target.holder?.daemons.length) reading ??= readAll(target, streams)
    })
    await reading
    return { ...said, ...online, bytesReceived: streams.bytesReceived }
  }
}

const readAll = (target: Target, tally: ReturnType<typeof emptyTally>): Promise<void> => {
  const { keys = [], daemons = [] } = target.holder ?? {}
  return keepOpen(target, daemons.length, attackerAddress, tally, (socket, at) => {
    socket.on("data", target.reach)
    socket.write(
      `GET /api/v1/daemons/${daemons[at]?.daemonId}/sessions/${session}/events/stream HTTP/1.1\r\nhost: ${target.url.host}\r\n` +
        `authorization: Bearer ${keys[0]}\r\n\r\n`
    )
  })
}

const keys = 20
const callers = 20

/** Of one free account: each call is answered by 60 KB of small values. */
export const denseResults: Attack = {
  finding: "H3",
  asks: `${callers} callers with a key each, whose commands are answered by 60 KB of small values`,
  holds: (tiny) => ({ plan: "free", keys: tiny ? 1 : keys, daemons: 1 }),
  strike: (target) => askThrough(target, undefined, (caller) => commandAsk(target, caller, "{}"))
}

/** Has callers ask a daemon that answers each with this, or with many small values. */
const askThrough = async (
  target: Target,
  result: string | undefined,
  ask: (caller: number) => ReturnType<typeof commandAsk>
) => {
  const online: DaemonTally = { online: 0, closed: 0 }
  const statuses: { of: Promise<Record<string, number>> | undefined } = { of: undefined }
  const command = (id: string, socket: { send: (texts: ReadonlyArray<string>) => void }): void =>
    void socket.send([resultText(id, result ?? dense())])
  await keepDaemons(target, online, { command }, () => {
    statuses.of ??= askAgain(target, target.tiny ? 1 : callers, ask)
  })
  return { ...online, ...named((await statuses.of) ?? {}) }
}

const commandAsk = (target: Target, caller: number, payload: string) => {
  const { keys: own = [], daemons = [] } = target.holder ?? {}
  const headers = { authorization: `Bearer ${own[caller % own.length]}`, "content-type": "application/json" }
  const body = `{"type":"read_chat","payload":${payload}}`
  return { method: "POST" as const, path: `/api/v1/daemons/${daemons[0]?.daemonId}/command`, headers, body }
}

/** Of one free account: bodies within every bound on size and values, passed on to a daemon that takes each. */
export const denseBodies: Attack = {
  finding: "H3",
  asks: `${callers} callers with a key each send commands of 60 KB of small values`,
  holds: (tiny) => ({ plan: "free", keys: tiny ? 1 : keys, daemons: 1 }),
  strike: (target) => askThrough(target, "{}", (caller) => commandAsk(target, caller, `{"more":${dense()}}`))
}
