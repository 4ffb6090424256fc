/**
 * What every stream of Server-Sent Events has: its headers, its heartbeat, and its end when the caller disconnects or
 * reads too slowly, or when its credential ends. Owns these; knows no event.
 */
import { Effect } from "effect"
import { CredentialWatch } from "../../src/auth/credential-watch.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { streamHeartbeatMillis } from "../../src/limits/delivery.ts"
import { type Timer, Timers } from "../../src/runtime/timers.ts"
import type { Outlet } from "../pipeline/response.ts"

/** The headers of a stream. */
export const streamHeaders = [
  ["content-type", "text/event-stream; charset=utf-8"],
  // a proxy that compresses would hold events back until it has enough of them
  ["cache-control", "no-store, no-transform"],
  ["x-accel-buffering", "no"]
] as const
const reconnectMillis = 2_000
const heartbeat = ": \n\n"

/** When a caller who finds too many streams may come back. */
export const fullRetrySeconds = 5

/** What a stream begins with. Without data a reader dispatches no event, but it remembers the id. */
export const startFrame = (id: string): string => `retry: ${reconnectMillis}\nid: ${id}\n\n`

/** The writing side of a stream, as its route uses it. */
export interface StreamWriter {
  readonly send: (text: string) => "sent" | "buffered" | "closed"
  readonly end: () => void
}

export interface EventStreams {
  /**
   * Has a stream begin, and stays until it ends. `begin` returns what undoes it; undefined: the stream ends at once.
   */
  readonly stay: (
    outlet: Outlet,
    principal: Principal,
    begin: (writer: StreamWriter) => (() => void) | undefined
  ) => Effect.Effect<void>
}

type After = Timers["Service"]["after"]

const startHeartbeat = (after: After, send: (text: string) => void): (() => void) => {
  let timer: Timer
  const beat = (): void => {
    timer = after(streamHeartbeatMillis, () => {
      send(heartbeat)
      beat()
    })
  }
  beat()
  return () => timer.clear()
}

export const makeEventStreams = Effect.gen(function* () {
  const timers = yield* Timers
  const { watch } = yield* CredentialWatch

  const stay: EventStreams["stay"] = (outlet, principal, begin) =>
    Effect.suspend(() => {
      const undo: Array<() => void> = []
      const staying = Effect.callback<void>((resume) => {
        let isOver = false
        const end = (): void => {
          isOver = true
          resume(Effect.void)
        }
        const send = (text: string): ReturnType<Outlet["write"]> => {
          const written = outlet.write(text)
          if (written === "closed") end()
          return written
        }
        // after any change of its key or account a stream ends; a caller that is still admitted reconnects at once
        undo.push(startHeartbeat(timers.after, send), watch(principal, end))
        const begun = isOver ? undefined : begin({ send, end })
        if (begun === undefined) end()
        else undo.push(begun)
      })
      return Effect.ensuring(
        staying,
        Effect.sync(() => {
          for (const one of undo) one()
        })
      )
    })
  return { stay } satisfies EventStreams
})
