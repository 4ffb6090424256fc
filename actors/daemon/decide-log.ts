/**
 * What a daemon actor does about logs: who asks for one, and what the daemon sends of it. Owns what a frame of log
 * events costs and to whom it goes; keeps nothing of it. Such frames have a budget of their own, and one beyond it is
 * dropped, which those who listen are told.
 */

import { costOf } from "../../src/domain/limits/cost.ts"
import type { LogMessage, LogRefusal, LogTelling } from "../../src/domain/log/log-listener.ts"
import { frameCostMax, logCostReserve } from "../../src/limits/cost.ts"
import { logFrameBytesMax } from "../../src/limits/logs.ts"
import { close } from "../../src/protocol/close.ts"
import { type DaemonFrame, decodeFrame, extentOf } from "../../src/protocol/codec.ts"
import { sessionLogCapability } from "../../src/protocol/frames.ts"
import { readLogFrame } from "../../src/protocol/log-frames.ts"
import { count, sumOf } from "../../src/runtime/metrics.ts"
import { takeCost, takeFrame } from "./account-share.ts"
import { end } from "./decide-end.ts"
import { charge } from "./frame-budget.ts"
import { LogSubscriptions } from "./log-subscriptions.ts"
import type { DaemonAction, DaemonState } from "./state.ts"

const nothing: ReadonlyArray<DaemonAction> = []

const events = sumOf("hub_log_events_total")

export const tellListeners = (telling: LogTelling): void => {
  for (const listener of telling.to) {
    if ("frame" in telling) {
      events.sum += telling.frame.events.length
      listener.hear(telling.frame)
    } else if ("doubt" in telling) listener.doubt()
    else listener.refused(telling.refused)
  }
}

const send = (text: string | undefined): ReadonlyArray<DaemonAction> =>
  text === undefined ? nothing : [{ do: "send", text }]

/** The turn of what is asked. */
export const decideLogAsked = (state: DaemonState, asked: LogMessage, now: number): ReadonlyArray<DaemonAction> => {
  const { log, by } = asked
  if (asked.ask === "unsubscribe") return send(state.logs?.remove(log, by, now))
  if (asked.ask === "want") return send(state.logs?.want(log, asked.deltas, by))
  const refuse = (refused: LogRefusal): ReadonlyArray<DaemonAction> => [{ do: "logs", telling: { to: [by], refused } }]
  if (!state.capabilities.has(sessionLogCapability)) return refuse("unsupported")
  state.logs ??= new LogSubscriptions(now)
  const text = state.logs.add(log, asked.deltas, by)
  return text === "full" ? refuse("full") : send(text)
}

/** Frames are dropped: those who listen are told once until one is taken again. */
const drop = (logs: LogSubscriptions, why: "budget" | "size" | "misfit"): ReadonlyArray<DaemonAction> => {
  count("hub_log_dropped_total", why)
  if (logs.doubted) return nothing
  logs.doubted = true
  return [{ do: "logs", telling: { to: logs.all(), doubt: true } }]
}

/** Whether the frame is taken; else what is done about it. */
const pay = (
  state: DaemonState,
  logs: LogSubscriptions,
  bytes: number,
  now: number
): ReadonlyArray<DaemonAction> | undefined => {
  const paid = logs.pay(bytes, now)
  if (paid === "flood") return end(state, close.tooFast, "lost")
  if (paid === "dropped") return drop(logs, "budget")
  return bytes > logFrameBytesMax ? drop(logs, "size") : undefined
}

/** A log that nobody asks for costs as any other frame does, unless it was on its way when that was said. */
const unasked = (state: DaemonState, bytes: number, now: number): ReadonlyArray<DaemonAction> => {
  count("hub_log_dropped_total", "unasked")
  if (state.logs?.mayBeLate(now) === true) return nothing
  if (state.logs?.size === 0) state.logs = undefined
  const paid = charge(state.budget, now, bytes) && takeFrame(state.share, bytes, now)
  return paid ? nothing : end(state, close.tooFast, "lost")
}

/** What a frame was, and costs to parse. */
interface Measured {
  readonly bytes: number
  readonly cost: number
  readonly now: number
}

const pass = (
  state: DaemonState,
  data: Readonly<Record<string, unknown>>,
  { bytes, cost, now }: Measured
): ReadonlyArray<DaemonAction> => {
  const { logs } = state
  const read = readLogFrame(data, bytes, cost)
  if (read === undefined || logs === undefined) return logs === undefined ? nothing : drop(logs, "misfit")
  if (read.misfits > 0) count("hub_log_dropped_total", "misfit", read.misfits)
  const to = logs.of(read.read.log)
  if (to === undefined) return unasked(state, bytes, now)
  const taken: DaemonAction = { do: "logs", telling: { to, frame: read.read } }
  if (!logs.doubted) return [taken]
  logs.doubted = false
  // more may have been dropped since the first was told
  return [{ do: "logs", telling: { to: logs.all(), doubt: true } }, taken]
}

/** The turn of a frame that says first that it is one of log events; or what it is, where it says otherwise later. */
export const decideLogText = (
  state: DaemonState,
  logs: LogSubscriptions,
  { text, bytes, now }: { readonly text: string; readonly bytes: number; readonly now: number }
): ReadonlyArray<DaemonAction> | DaemonFrame => {
  const instead = pay(state, logs, bytes, now)
  if (instead !== undefined) return instead
  // not looked through either where nothing more is read
  if (!takeCost(state.share, 0, logCostReserve, now)) return drop(logs, "budget")
  const extent = extentOf(text)
  const cost = costOf(0, extent)
  if (!takeCost(state.share, cost, logCostReserve, now)) return drop(logs, "budget")
  const decoded = decodeFrame(text, extent, frameCostMax)
  if (decoded.type === "log_events") return pass(state, decoded.data, { bytes, cost: bytes + cost, now })
  return decoded.type === "misfit" && decoded.of === "log_events" ? drop(logs, "misfit") : decoded
}

/** The turn of a large one, which is dropped unread where it is too large. Undefined: it may be read. */
export const decideLargeLog = (
  state: DaemonState,
  logs: LogSubscriptions,
  bytes: number,
  now: number
): ReadonlyArray<DaemonAction> | undefined => (bytes > logFrameBytesMax ? pay(state, logs, bytes, now) : undefined)

/** The turn of one that says only behind its data what it is. */
export const decideLogDecoded = (
  state: DaemonState,
  data: Readonly<Record<string, unknown>>,
  measured: Measured
): ReadonlyArray<DaemonAction> => {
  const { bytes, now } = measured
  if (state.logs === undefined) return unasked(state, bytes, now)
  return pay(state, state.logs, bytes, now) ?? pass(state, data, measured)
}
