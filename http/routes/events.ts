/**
 * The route of the live stream. Owns the encoding as Server-Sent Events, the filters, and the end of a stream: the
 * caller disconnects or reads too slowly, or its credential ends. actors/events/live-streams.ts has the buffer for
 * resumption.
 */
import { Effect } from "effect"
import { LiveStreams, type StreamEvent } from "../../actors/events/live-streams.ts"
import { Authenticator } from "../../src/auth/authenticator.ts"
import { Bus } from "../../src/bus/bus.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { dispatchedEvents, everyEvent, namedOnly } from "../../src/domain/event/events.ts"
import { Overloaded, ValidationFailed } from "../../src/errors.ts"
import { streamHeartbeatMillis } from "../../src/limits/delivery.ts"
import { expiryLookMillis } from "../../src/limits/gate.ts"
import { type Timer, Timers } from "../../src/runtime/timers.ts"
import type { Events } from "../api/events.ts"
import { type Outlet, Streaming } from "../pipeline/response.ts"
import type { Routes } from "./group.ts"

const headers = [
  ["content-type", "text/event-stream; charset=utf-8"],
  ["cache-control", "no-store"],
  ["x-accel-buffering", "no"]
] as const
const reconnectMillis = 2_000
const fullRetrySeconds = 5

const listOf = (given: string | ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  given === undefined ? [] : typeof given === "string" ? given.split(",") : given

const eventNames: ReadonlySet<string> = new Set([...dispatchedEvents, everyEvent])

type Filter = (event: StreamEvent) => boolean

const filterOf = (events: ReadonlyArray<string>, daemonIds: ReadonlyArray<string>): Filter => {
  const all = events.length === 0 || events.includes(everyEvent)
  const names = new Set(events)
  const daemons = daemonIds.length === 0 ? undefined : new Set(daemonIds)
  return (event) =>
    (names.has(event.event) || (all && !namedOnly.has(event.event))) &&
    (daemons === undefined || (event.daemonId !== undefined && daemons.has(event.daemonId)))
}

const frame = (event: StreamEvent): string => `id: ${event.id}\nevent: ${event.event}\ndata: ${event.text}\n\n`
const gapFrame = (after: string): string => `event: gap\ndata: ${JSON.stringify({ after })}\n\n`
/** Without data a reader dispatches no event, but it remembers the id. */
const startFrame = (id: string): string => `retry: ${reconnectMillis}\nid: ${id}\n\n`
const heartbeat = ": \n\n"

const credentialOf = ({ credential }: Principal): string =>
  credential.kind === "key" ? `key ${credential.keyId}` : `session ${credential.sessionId}`

/** The routes of `Events`. */
export const eventRoutes = Effect.gen(function* () {
  const streams = yield* LiveStreams
  const timers = yield* Timers
  const bus = yield* Bus
  const authenticator = yield* Authenticator
  // the functions that end open streams, by credential and by account
  const endsByName = new Map<string, Set<() => void>>()

  const endAll = (of: string): void => {
    for (const end of [...(endsByName.get(of) ?? [])]) end()
  }
  // after any change of a key or account its streams end; a caller that is still admitted reconnects at once
  yield* bus.subscribe("key_changed", ({ keyId }) => endAll(`key ${keyId}`))
  yield* bus.subscribe("session_ended", ({ sessionId }) => endAll(`session ${sessionId}`))
  yield* bus.subscribe("account_changed", ({ accountId }) => endAll(`account ${accountId}`))
  // messages were lost: end all streams, so that each caller is judged again and resumes from its last event
  yield* bus.gaps((stands) => {
    if (stands) for (const of of [...endsByName.keys()]) endAll(of)
  })

  const endWithCredential = (principal: Principal, end: () => void): (() => void) => {
    const of = [credentialOf(principal), `account ${principal.accountId}`]
    for (const name of of) endsByName.set(name, (endsByName.get(name) ?? new Set()).add(end))
    return () => {
      for (const name of of) {
        const some = endsByName.get(name)
        some?.delete(end)
        if (some?.size === 0) endsByName.delete(name)
      }
    }
  }

  const startHeartbeat = (send: (text: string) => void): (() => void) => {
    let timer: Timer
    const beat = (): void => {
      timer = timers.after(streamHeartbeatMillis, () => {
        send(heartbeat)
        beat()
      })
    }
    beat()
    return () => timer.clear()
  }

  const endAtExpiry = ({ credential }: Principal, end: () => void): (() => void) => {
    const { expiresAt } = credential
    if (expiresAt === undefined) return () => undefined
    let timer: Timer
    const wait = (): void => {
      const left = Math.max(0, expiresAt - timers.now())
      timer = timers.after(Math.min(left, expiryLookMillis), left > expiryLookMillis ? wait : end)
    }
    wait()
    return () => timer.clear()
  }

  const write = (outlet: Outlet, principal: Principal, after: string | undefined, wants: Filter) =>
    Effect.suspend(() => {
      let undo: ReadonlyArray<() => void> = []
      const stay = Effect.callback<void>((resume) => {
        const end = (): void => resume(Effect.void)
        const send = (text: string): void => {
          if (outlet.write(text) === "closed") end()
        }
        const opened = streams.open(principal.accountId, after, (event) => {
          if (wants(event)) send(frame(event))
        })
        if (opened === undefined) return end()
        undo = [opened.close, startHeartbeat(send), endAtExpiry(principal, end), endWithCredential(principal, end)]
        // the credential was revoked after the guard admitted it: no later message would end this stream
        if (!authenticator.stands(principal)) return end()
        if (after !== undefined && opened.gap) send(gapFrame(after))
        for (const event of opened.missed) if (wants(event)) send(frame(event))
        send(startFrame(opened.lastId))
      })
      return Effect.ensuring(
        stay,
        Effect.sync(() => {
          for (const one of undo) one()
        })
      )
    })

  const routes: Routes<typeof Events> = {
    stream: Effect.fnUntraced(function* ({ principal, query, headers: given }) {
      const events = listOf(query.event)
      const unknown = events.find((event) => !eventNames.has(event))
      if (unknown !== undefined) {
        return yield* new ValidationFailed({ issues: [{ path: "event", message: "must name dispatched events" }] })
      }
      if (!streams.room(principal.accountId)) return yield* new Overloaded({ retryAfter: fullRetrySeconds })
      const wants = filterOf(events, listOf(query.daemonId))
      return new Streaming(headers, (outlet) => write(outlet, principal, given["last-event-id"], wants))
    })
  }
  return routes
})
