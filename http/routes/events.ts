/**
 * The routes of the live stream. Owns the encoding as Server-Sent Events and the filters. event-stream.ts ends one;
 * actors/events/live-streams.ts has the buffer for resumption.
 */
import { Effect } from "effect"
import { LiveStreams, type StreamEvent } from "../../actors/events/live-streams.ts"
import { SecretBox } from "../../src/auth/secret-box.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { bothOf, matches, readSelector, type Selector } from "../../src/domain/daemon/selector.ts"
import { dispatchedEvents, everyEvent, namedOnly, streamedOnly } from "../../src/domain/event/events.ts"
import { secretOf } from "../../src/domain/webhook/signature.ts"
import { invalid, Overloaded } from "../../src/errors.ts"
import { streamResumeBytesMax, streamsBufferedBytesMax } from "../../src/limits/delivery.ts"
import type { Events, StreamGap } from "../api/events.ts"
import type { Routes } from "../pipeline/action.ts"
import { json, type Outlet, Streaming } from "../pipeline/response.ts"
import { fullRetrySeconds, makeEventStreams, startFrame, streamHeaders } from "./event-stream.ts"
import { SlowReaders } from "./slow-readers.ts"

const listOf = (given: string | ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  given === undefined ? [] : typeof given === "string" ? given.split(",") : given

const eventNames: ReadonlySet<string> = new Set([...dispatchedEvents, ...streamedOnly, everyEvent])

type Filter = (event: StreamEvent) => boolean

const filterOf = (
  events: ReadonlyArray<string>,
  daemonIds: ReadonlyArray<string>,
  selector: Selector | undefined
): Filter => {
  const all = events.length === 0 || events.includes(everyEvent)
  const names = new Set(events)
  const daemons = daemonIds.length === 0 ? undefined : new Set(daemonIds)
  return (event) =>
    (names.has(event.event) || (all && !namedOnly.has(event.event))) &&
    (daemons === undefined || (event.daemonId !== undefined && daemons.has(event.daemonId))) &&
    // of a daemon whose tags are not known nothing is told
    (selector === undefined || (event.tags !== undefined && matches(selector, event)))
}

const frame = (event: StreamEvent): string => `id: ${event.id}\nevent: ${event.event}\ndata: ${event.text}\n\n`
const gapFrame = (gap: typeof StreamGap.Type): string => `event: gap\ndata: ${JSON.stringify(gap)}\n\n`

/** The last of these that fit a stream at once: with more it would be closed as too slow, at each resumption. */
const newestOf = (frames: ReadonlyArray<string>): ReadonlyArray<string> => {
  let from = frames.length
  for (let bytes = 0; from > 0; from--) {
    bytes += Buffer.byteLength(frames[from - 1]!)
    if (bytes > streamResumeBytesMax) break
  }
  return frames.slice(from)
}

/** The routes of `Events`. `bufferedBytesMax`: what may wait for all readers. */
export const eventRoutesWithin = Effect.fnUntraced(function* (bufferedBytesMax: number) {
  const slow = new SlowReaders(bufferedBytesMax)
  const streams = yield* LiveStreams
  const { stay } = yield* makeEventStreams
  const secretBox = yield* SecretBox

  const write = (outlet: Outlet, principal: Principal, after: string | undefined, wants: Filter) =>
    stay(outlet, principal, (writer) => {
      const reader = { accountId: principal.accountId, buffered: outlet.buffered, cut: writer.end }
      const send = (text: string): void => {
        if (writer.send(text) === "buffered") slow.add(reader, text.length)
      }
      const opened = streams.open(principal.accountId, after, (event) => {
        if (wants(event)) send(frame(event))
      })
      if (opened === undefined) return undefined
      const missed = opened.missed.filter(wants).map(frame)
      const newest = newestOf(missed)
      if (after !== undefined && (opened.gap || newest.length < missed.length)) send(gapFrame({ after }))
      for (const text of newest) send(text)
      send(startFrame(opened.lastId))
      return () => {
        slow.remove(reader)
        opened.close()
      }
    })

  const routes: Routes<typeof Events> = {
    listenSecret: ({ principal }) =>
      Effect.sync(() => {
        const secret = secretOf(secretBox.derive("listen secret", principal.accountId))
        return json(200, { secret }, [["cache-control", "no-store"]])
      }),
    stream: Effect.fnUntraced(function* ({ principal, query, headers: given }) {
      const events = listOf(query.event)
      const unknown = events.find((event) => !eventNames.has(event))
      if (unknown !== undefined) {
        const message = `must name dispatched events: ${[...eventNames].join(", ")}`
        return yield* invalid("event", message)
      }
      if (!streams.room(principal.accountId)) return yield* new Overloaded({ retryAfter: fullRetrySeconds })
      const asked = query.selector === undefined ? undefined : yield* Effect.fromResult(readSelector(query.selector))
      const wants = filterOf(events, listOf(query.daemonId), bothOf(principal.selector, asked))
      return new Streaming(streamHeaders, (outlet) => write(outlet, principal, given["last-event-id"], wants))
    })
  }
  return routes
})

/** The same within the bound of a node. */
export const eventRoutes = eventRoutesWithin(streamsBufferedBytesMax)
