/**
 * What the log says of daemons' sockets: a line when one connected, ended, or was refused. Owns the words, and that a
 * peer that comes again and again fills no log: lines alike are held back and counted.
 */
import { Effect } from "effect"
import { close } from "../../src/protocol/close.ts"
import { failureLog } from "../../src/runtime/throttled-log.ts"
import type { Timers } from "../../src/runtime/timers.ts"

/** One socket, as far as the log is concerned. */
export interface LoggedSocket {
  readonly address: string
  /** On the monotonic clock. */
  readonly openedAt: number
  /** Text frames that it sent. */
  frames: number
  /** Undefined: it was not admitted. */
  daemonId: string | undefined
  /** Why it was refused, in a word of the protocol. */
  refusal: string | undefined
}

interface Line {
  readonly words: string
  readonly facts: Readonly<Record<string, unknown>>
}

const names: ReadonlyMap<number, string> = new Map(Object.values(close).map(({ code, name }) => [code, name]))

export const makeConnectionLog = Effect.fnUntraced(function* (timers: Timers["Service"]) {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const lines = yield* failureLog<Line>(timers.after, ({ words, facts }, heldBack) =>
    Effect.logInfo(words, { ...facts, ...(heldBack > 0 && { heldBack }) })
  )
  return {
    /** A socket is open. */
    opened: (address: string): LoggedSocket => ({
      address,
      openedAt: timers.monotonic(),
      frames: 0,
      daemonId: undefined,
      refusal: undefined
    }),
    /** Its daemon is admitted. */
    connected: (socket: LoggedSocket, daemonId: string, facts: Readonly<Record<string, unknown>>): void => {
      socket.daemonId = daemonId
      run(Effect.logDebug("a daemon connected", { daemonId, ...facts, address: socket.address }))
    },
    /** It is closed with this code. */
    ended: ({ address, openedAt, frames, daemonId, refusal }: LoggedSocket, code: number): void => {
      const millis = Math.round(timers.monotonic() - openedAt)
      const why = { code, reason: refusal ?? names.get(code), millis, frames }
      if (daemonId !== undefined) {
        const facts = { daemonId, ...why, address }
        lines.add(`${daemonId} ${code}`, { words: "the connection of a daemon ended", facts })
      } else {
        const words = "a socket ended before its daemon was admitted"
        lines.add(`${address} ${code} ${refusal}`, { words, facts: { ...why, address } })
      }
    },
    /** A token was refused before the upgrade. */
    refused: (reason: string, address: string): void =>
      lines.add(`${address} ${reason}`, {
        words: "a daemon was refused before the upgrade",
        facts: { reason, address }
      })
  }
})

export type ConnectionLog = Effect.Success<ReturnType<typeof makeConnectionLog>>
