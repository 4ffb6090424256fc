/**
 * A daemon that keeps its commands over as many connections as it takes: it names what it has, and sends each result
 * until it is acknowledged. Owns what it was sent; answers them only when it is told to, and other commands at once.
 */
import { keepConnected } from "./event-resending-daemon.ts"
import type { PeerFrame } from "./scripted-daemon.ts"

/** The daemon. */
export interface DurableDaemon {
  /** Where it is accepted now. */
  readonly at: () => string | undefined
  /** How often each command came. */
  readonly sent: ReadonlyMap<string, number>
  /** What each command that came is about. */
  readonly payloads: ReadonlyMap<string, unknown>
  /** Commands whose result is not acknowledged. */
  readonly unacknowledged: () => number
  /** Ends every command from now on, those that it has included. */
  readonly finish: () => void
  readonly stop: () => void
}

const capabilities = ["durable_commands", "command_cancel"]

/** Starts one with its token; `where` says for each connection which hub to go to. */
export const startDurableDaemon = (where: () => string, token: string): DurableDaemon => {
  const sent = new Map<string, number>()
  const payloads = new Map<string, unknown>()
  const has = new Set<string>()
  let finished = false

  const answer = (id: string): void => connection.send("command_result", { id, success: true, result: { id } })
  const receive = ({ type, data }: PeerFrame): void => {
    if (type === "auth_ok") {
      if (finished) for (const id of has) answer(id)
    } else if (type === "command") {
      sent.set(data.id, (sent.get(data.id) ?? 0) + 1)
      payloads.set(data.id, data.payload)
      if (data.durable === true) has.add(data.id)
      if (finished || data.durable !== true) answer(data.id)
    } else if (type === "result_ack") {
      for (const id of data.ids) has.delete(id)
    }
  }
  const connection = keepConnected(where, () => ({ token, capabilities, commands: [...has] }), receive)
  return {
    at: connection.at,
    sent,
    payloads,
    unacknowledged: () => has.size,
    finish: () => {
      finished = true
      for (const id of has) answer(id)
    },
    stop: () => {
      connection.stop()
      connection.close()
    }
  }
}
