/**
 * When a report is read, and whether it is kept. Owns the one report per daemon that waits for its turn among those of
 * its account; the newest takes the place of an older one. What a report says is report.ts's.
 */
import { costOf } from "../../src/domain/limits/cost.ts"
import { frameCostMax } from "../../src/limits/cost.ts"
import { type DaemonFrame, decodeFrame, extentOf } from "../../src/protocol/codec.ts"
import { textOfBytes } from "../../src/protocol/large-frame.ts"
import { addKept, mayHold, mayKeep, oweCost, takeReport, untilReport, weigh } from "./account-share.ts"
import { noteUnread } from "./problems.ts"
import type { DaemonAction, DaemonState, GivenReport } from "./state.ts"

const nothing: ReadonlyArray<DaemonAction> = []
const dropped = "was not read: the daemons of this account report more than a node reads"
const notStored = "is not kept: the reports of this account's daemons take too much memory on this node"

/** A report that is to be read now, or what is done instead. */
export type Due = { readonly read: GivenReport } | { readonly actions: ReadonlyArray<DaemonAction> }

/** A report came whose digest is new. It is read when nobody of its account waits and its share has room, else held. */
export const admitReport = (state: DaemonState, report: GivenReport, now: number): Due => {
  const { share } = state
  const { bytes } = report
  if (share.heldBytes === 0 && untilReport(share, bytes, now) === 0) {
    takeReport(share, bytes, now)
    return { read: report }
  }
  const instead = state.held?.bytes ?? 0
  if (!mayHold(share, bytes, instead)) return { actions: noteUnread(state, dropped) }
  share.heldBytes += bytes - instead
  state.held = report
  return { actions: [{ do: "await", bytes }] }
}

/** What waits is out of date. */
export const dropHeld = (state: DaemonState): ReadonlyArray<DaemonAction> => {
  if (state.held === undefined) return nothing
  state.share.heldBytes -= state.held.bytes
  state.held = undefined
  return [{ do: "awaitNoMore" }]
}

/** It is its turn: the report that waited, if one still does. */
export const takeHeld = (state: DaemonState): GivenReport | undefined => {
  const { held } = state
  if (held === undefined) return undefined
  state.share.heldBytes -= held.bytes
  state.held = undefined
  return held
}

/** A report that was read, with what it weighs. */
export interface ReadReport {
  readonly text: string
  readonly decoded: DaemonFrame
  readonly weight: number
}

/** Reads a report whose turn it is, unless what is kept of its account leaves no room for what it weighs. */
export const readReport = (
  state: DaemonState,
  { given, bytes }: GivenReport,
  now: number,
  known?: DaemonFrame
): ReadReport | { readonly actions: ReadonlyArray<DaemonAction> } => {
  const text = typeof given === "string" ? given : textOfBytes(given)
  const extent = extentOf(text)
  const cost = costOf(0, extent)
  if (known === undefined) oweCost(state.share, cost, now)
  // what parsing it costs is also what it takes to keep; a text with a sign beyond Latin-1 is kept with two bytes each
  const weight = cost + (bytes > text.length ? bytes + text.length : bytes)
  if (!mayKeep(state.share, weight, state.weight)) return { actions: noteUnread(state, notStored) }
  return { text, decoded: known ?? decodeFrame(text, extent, frameCostMax), weight }
}

/** From now on this report is kept, and not the one before. */
export const keepReport = (state: DaemonState, weight: number): void => {
  addKept(state.share, weight - state.weight)
  state.weight = weight
  weigh(state.snapshot, weight)
}
