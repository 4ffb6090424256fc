/**
 * Answers that show a log of a daemon: a page of it, and the stream of what happens. Owns how a caller's place in a log
 * is read, and which failures an answer begins with. Whose log it is has been judged before.
 */
import { Effect, Result } from "effect"
import { SessionLogs } from "../../actors/logs/session-logs.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import type { CommandFailure } from "../../src/domain/command/command.ts"
import { beginning, cursorOf, logTag, readCursor } from "../../src/domain/log/cursor.ts"
import type { LogEndReason, LogEvent, LogName } from "../../src/domain/log/log.ts"
import { type Position, positionAt, startOf, takePage } from "../../src/domain/log/position.ts"
import {
  DaemonLacksFeature,
  DaemonOffline,
  DaemonSocketLost,
  invalid,
  NotFound,
  Overloaded,
  type ValidationFailed
} from "../../src/errors.ts"
import { logFirstWordMillis, logPageUsual } from "../../src/limits/logs.ts"
import { sessionLogCapability } from "../../src/protocol/frames.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Streaming } from "../pipeline/response.ts"
import { fullRetrySeconds, makeEventStreams, streamHeaders } from "./event-stream.ts"
import { type FirstWord, LogSink } from "./log-sink.ts"
import { makeEndUnlessSelected } from "./selected-daemons.ts"
import { SlowReaders } from "./slow-readers.ts"

/** Which log is shown to whom. */
export interface ShownLog {
  readonly principal: Principal
  readonly daemonId: string
  readonly log: LogName
}

/** The parameters that a log is read with. */
export interface LogQuery {
  readonly after?: string
  readonly deltas?: "true" | "false"
  readonly limit?: number
}

/** How a stream may fail before it begins. */
export type StreamFailure = ValidationFailed | NotFound | Overloaded | DaemonOffline | DaemonLacksFeature

/** A caller's place; undefined: none is named. */
const placeOf = (
  { daemonId, log }: ShownLog,
  path: string,
  text: string | undefined
): Result.Result<Position | undefined, ValidationFailed> => {
  if (text === undefined) return Result.succeed(undefined)
  const read = readCursor(logTag(daemonId, log), text)
  if (Result.isFailure(read)) return Result.fail(invalid(path, read.failure))
  return Result.succeed(read.success === beginning ? startOf : positionAt(read.success))
}

const lacksFeature = (): DaemonLacksFeature => new DaemonLacksFeature({ feature: sessionLogCapability })

const failureOf = (reason: LogEndReason): StreamFailure => {
  switch (reason) {
    case "unsupported":
      return lacksFeature()
    case "log_ended":
    case "daemon_revoked":
      return new NotFound()
    case "daemon_offline":
      return new DaemonOffline()
    case "overloaded":
    case "slow_reader":
      return new Overloaded({ retryAfter: fullRetrySeconds })
  }
}

/** Builds them, once for all routes: their slow readers are bounded together. */
export const makeLogAnswers = Effect.gen(function* () {
  const logs = yield* SessionLogs
  const timers = yield* Timers
  const { stay } = yield* makeEventStreams
  const endUnlessSelected = yield* makeEndUnlessSelected
  const slow = new SlowReaders()

  /** Opens the log, and waits for the first word of it, or for a while. */
  const opened = (
    shown: ShownLog,
    deltas: boolean,
    from: Position | undefined
  ): Effect.Effect<LogSink, StreamFailure> =>
    Effect.callback((resume) => {
      const { principal, daemonId, log } = shown
      const first = (word: FirstWord): void => {
        timer.clear()
        resume(word.is === "there" ? Effect.succeed(sink) : Effect.fail(failureOf(word.reason)))
      }
      const timer = timers.after(logFirstWordMillis, () => resume(Effect.succeed(sink)))
      const sink = new LogSink(principal.accountId, logTag(daemonId, log), slow, first)
      const close = logs.open({ accountId: principal.accountId, daemonId, log, deltas, from }, sink)
      if (close === undefined) return first({ is: "ended", reason: "overloaded" })
      sink.opened(close)
      return Effect.sync(() => {
        timer.clear()
        close()
      })
    })

  /** The stream of a log, behind the place that the caller has seen, or from where the log stands. */
  const stream = Effect.fnUntraced(function* (
    shown: ShownLog,
    { after, deltas }: LogQuery,
    lastEventId: string | undefined
  ): Effect.fn.Return<Streaming, StreamFailure> {
    if (!logs.room(shown.principal.accountId)) return yield* new Overloaded({ retryAfter: fullRetrySeconds })
    const path = lastEventId === undefined ? "after" : "last-event-id"
    const from = yield* Effect.fromResult(placeOf(shown, path, lastEventId ?? after))
    const sink = yield* opened(shown, deltas !== "false", from)
    // the caller may have left
    const unclaimed = timers.after(logFirstWordMillis, () => sink.close())
    return new Streaming(streamHeaders, (outlet) =>
      stay(outlet, shown.principal, (writer) => {
        unclaimed.clear()
        const leave = endUnlessSelected(shown, writer.end)
        const close = sink.attach(outlet, writer)
        return () => {
          leave()
          close()
        }
      })
    )
  })

  /** A page of a log. */
  const page = Effect.fnUntraced(function* (
    shown: ShownLog,
    { after, deltas, limit = logPageUsual }: LogQuery
  ): Effect.fn.Return<LogPageView, CommandFailure | ValidationFailed | DaemonLacksFeature> {
    const { principal, daemonId, log } = shown
    const from = (yield* Effect.fromResult(placeOf(shown, "after", after))) ?? startOf
    const all = deltas !== "false"
    const { accountId } = principal
    const read = yield* logs.read({ accountId, daemonId, log, deltas: all, from, limit })
    if (read === "absent") return yield* new NotFound()
    if (read === "unsupported") return yield* lacksFeature()
    if (read === "failed") return yield* new DaemonSocketLost({})
    const { position, passed, more } = takePage(from, read, all)
    const { logId = read.logId, seq } = position
    return {
      events: passed.flatMap((one) => ("gap" in one || (one.isDelta && !all) ? [] : [one.given])),
      next: cursorOf(logTag(daemonId, log), { logId, seq }),
      more,
      gap: passed.some((one) => "gap" in one),
      firstSeq: read.firstSeq,
      lastSeq: read.lastSeq
    }
  })

  return { stream, page }
})

export type LogAnswers = Effect.Success<typeof makeLogAnswers>

/** A page of a log as a caller is shown it. */
export interface LogPageView {
  readonly events: ReadonlyArray<LogEvent["given"]>
  readonly next: string
  readonly more: boolean
  readonly gap: boolean
  readonly firstSeq: number
  readonly lastSeq: number
}
