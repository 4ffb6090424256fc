/**
 * What every stream of Server-Sent Events has: its headers, its heartbeat, and its end when the caller disconnects or
 * reads too slowly, or when its credential ends. Owns these; knows no event.
 */
import { Effect } from "effect"
import { Authenticator } from "../../src/auth/authenticator.ts"
import { Bus } from "../../src/bus/bus.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { streamHeartbeatMillis } from "../../src/limits/delivery.ts"
import { expiryLookMillis } from "../../src/limits/gate.ts"
import { type Timer, Timers } from "../../src/runtime/timers.ts"
import type { Outlet } from "../pipeline/response.ts"

/** The headers of a stream. */
export const streamHeaders = [
  ["content-type", "text/event-stream; charset=utf-8"],
  ["cache-control", "no-store"],
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

/** Runs streams. */
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

const credentialOf = ({ credential }: Principal): string =>
  credential.kind === "key" ? `key ${credential.keyId}` : `session ${credential.sessionId}`

/** The functions that end open streams, by credential and by account. */
class Ends {
  private readonly byName = new Map<string, Set<() => void>>()

  endAll(of: string): void {
    for (const end of [...(this.byName.get(of) ?? [])]) end()
  }

  /** Each caller is judged again, and resumes from its last event. */
  endEvery(): void {
    for (const of of [...this.byName.keys()]) this.endAll(of)
  }

  add(principal: Principal, end: () => void): () => void {
    const of = [credentialOf(principal), `account ${principal.accountId}`]
    for (const name of of) this.byName.set(name, (this.byName.get(name) ?? new Set()).add(end))
    return () => {
      for (const name of of) {
        const some = this.byName.get(name)
        some?.delete(end)
        if (some?.size === 0) this.byName.delete(name)
      }
    }
  }
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

const endAtExpiry = (
  { after, now }: Pick<Timers["Service"], "after" | "now">,
  { credential }: Principal,
  end: () => void
): (() => void) => {
  const { expiresAt } = credential
  if (expiresAt === undefined) return () => undefined
  let timer: Timer
  const wait = (): void => {
    const left = Math.max(0, expiresAt - now())
    timer = after(Math.min(left, expiryLookMillis), left > expiryLookMillis ? wait : end)
  }
  wait()
  return () => timer.clear()
}

/** Builds it. */
export const makeEventStreams = Effect.gen(function* () {
  const timers = yield* Timers
  const bus = yield* Bus
  const authenticator = yield* Authenticator
  const ends = new Ends()
  // after any change of a key or account its streams end; a caller that is still admitted reconnects at once
  yield* bus.subscribe("key_changed", ({ keyId }) => ends.endAll(`key ${keyId}`))
  yield* bus.subscribe("session_ended", ({ sessionId }) => ends.endAll(`session ${sessionId}`))
  yield* bus.subscribe("account_changed", ({ accountId }) => ends.endAll(`account ${accountId}`))
  yield* bus.gaps((stands) => {
    if (stands) ends.endEvery()
  })

  const stay: EventStreams["stay"] = (outlet, principal, begin) =>
    Effect.suspend(() => {
      const undo: Array<() => void> = []
      const staying = Effect.callback<void>((resume) => {
        const end = (): void => resume(Effect.void)
        const send = (text: string): ReturnType<Outlet["write"]> => {
          const written = outlet.write(text)
          if (written === "closed") end()
          return written
        }
        undo.push(startHeartbeat(timers.after, send), endAtExpiry(timers, principal, end), ends.add(principal, end))
        // the credential was revoked after the guard admitted it: no later message would end this stream
        const begun = authenticator.stands(principal) ? begin({ send, end }) : undefined
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
