/**
 * Event payloads as allow-list copies: only members that the specification names leave the hub. Owns every shape and
 * bound of a payload; does not decide who gets it.
 */
import { eventTextCharsMax, modalButtonCharsMax, modalButtonsMax, modalMessageBytesMax } from "../../limits/delivery.ts"
import type { SessionReport, StatusEvent } from "../../protocol/frames.ts"
import type { CommandState, StoredCommand } from "../command/stored-command.ts"
import type { AgentChange } from "../daemon/agent-status.ts"
import { noMemory } from "../daemon/session-memory.ts"
import type { Snapshot } from "../daemon/snapshot.ts"
import type { Job, JobState, TargetCounts } from "../job/job.ts"
import { cutToBytes, cutToChars } from "../text/truncate.ts"
import { daemonType, type RelayedEvent } from "./events.ts"
import { providerOfEvent, sessionOfEvent } from "./session-of-event.ts"

export type { AgentChange }

/** A payload: flat JSON. */
export type EventPayload = Readonly<Record<string, unknown>>

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? cutToChars(value, eventTextCharsMax) : undefined

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

const present = (entries: Record<string, unknown>): EventPayload => {
  const payload: Record<string, unknown> = {}
  for (const key of Object.keys(entries)) if (entries[key] !== undefined) payload[key] = entries[key]
  return payload
}

const buttons = (labels: ReadonlyArray<string> | undefined): ReadonlyArray<string> | undefined =>
  labels?.slice(0, modalButtonsMax).map((label) => cutToChars(label, modalButtonCharsMax))

/** The prompt that an event tells of: its own words, with those of the report where both mean one prompt. */
const promptMembers = (given: StatusEvent, reported: SessionReport["activeModal"]) => {
  const isOther =
    (given.modalMessage !== undefined && given.modalMessage !== reported?.message) ||
    (given.promptId !== undefined && reported?.promptId !== undefined && given.promptId !== reported.promptId)
  const modal = isOther ? undefined : reported
  const message = given.modalMessage ?? modal?.message
  return {
    promptId: text(given.promptId) ?? text(modal?.promptId),
    modalMessage: message === undefined ? undefined : cutToBytes(message, modalMessageBytesMax),
    modalButtons: buttons(given.modalButtons ?? modal?.buttons)
  }
}

/** The payload of a relayed event. What the daemon left out of its session comes from what is known of that. */
export const relayedPayload = (
  snapshot: Snapshot,
  event: RelayedEvent,
  given: StatusEvent,
  now: number,
  session = sessionOfEvent(snapshot, noMemory, event, given, now)
): EventPayload => {
  const provider = text(providerOfEvent(given)) ?? text(session?.providerType)
  const isPrompt = event === "agent:waiting_approval" || event === "agent:waiting_choice"
  return present({
    daemonId: snapshot.daemonId,
    daemonType,
    event,
    timestamp: count(Math.trunc(given.timestamp ?? now)) ?? now,
    targetSessionId: text(session?.id),
    providerType: provider === daemonType ? undefined : provider,
    providerSessionId: text(given.providerSessionId) ?? text(session?.providerSessionId),
    workspaceName: text(given.workspaceName) ?? text(session?.workspaceName),
    duration: event === "agent:generating_completed" ? count(given.duration) : undefined,
    elapsedSec: event === "monitor:no_progress" ? count(given.elapsedSec) : undefined,
    ...(isPrompt && promptMembers(given, session?.activeModal)),
    surfaceHidden: given.surfaceHidden ?? session?.surfaceHidden,
    muted: given.muted ?? session?.muted
  })
}

/** The payload of `daemon:connect`. */
export const connectPayload = (snapshot: Snapshot, now: number): EventPayload => ({
  daemonId: snapshot.daemonId,
  daemonType,
  hostname: cutToChars(snapshot.hostname, eventTextCharsMax),
  nickname: cutToChars(snapshot.nickname, eventTextCharsMax),
  platform: cutToChars(snapshot.platform, eventTextCharsMax),
  version: cutToChars(snapshot.version, eventTextCharsMax),
  timestamp: now
})

/** The payload of `daemon:disconnect`. */
export const disconnectPayload = (
  snapshot: Snapshot,
  reason: string,
  connectedMs: number,
  now: number
): EventPayload => ({ ...connectPayload(snapshot, now), reason, connectedMs: Math.max(0, Math.trunc(connectedMs)) })

/** The payload of `daemon:identity_copied`. */
export const copiedPayload = (snapshot: Snapshot, formerHostname: string, now: number): EventPayload => ({
  ...connectPayload(snapshot, now),
  formerHostname: cutToChars(formerHostname, eventTextCharsMax)
})

/** The payload of `agent:status`. */
export const agentStatusPayload = (
  daemonId: string,
  changes: ReadonlyArray<AgentChange>,
  now: number
): EventPayload => ({
  daemonId,
  daemonType,
  timestamp: now,
  agents: changes.map((change) =>
    present({
      targetSessionId: cutToChars(change.targetSessionId, eventTextCharsMax),
      providerType: cutToChars(change.providerType, eventTextCharsMax),
      workspaceName: text(change.workspaceName),
      status: change.status,
      previousStatus: change.previousStatus,
      ended: change.ended
    })
  )
})

/** The payload of `command:completed`: never what the command or its result says. */
export const commandPayload = (
  { commandId, daemonId, type }: Pick<StoredCommand, "commandId" | "daemonId" | "type">,
  state: CommandState,
  durationMs: number,
  now: number
): EventPayload => ({
  daemonId,
  daemonType,
  commandId,
  type,
  state,
  durationMs: Math.max(0, Math.trunc(durationMs)),
  timestamp: now
})

/** The payload of `job:progress` and `job:completed`: never what the job sends. */
export const jobPayload = (
  { jobId, type, targets }: Pick<Job, "jobId" | "type" | "targets">,
  state: JobState,
  counts: TargetCounts,
  now: number
): EventPayload => ({ jobId, type, state, targets, counts, timestamp: now })

/** The payload of `webhook:test`. */
export const testPayload = (webhookId: string, now: number): EventPayload => ({
  webhookId,
  message: "This is a test of your webhook.",
  timestamp: now
})

/** The body of a delivery: built once, the same bytes in each attempt. */
export const deliveryBody = (event: string, payload: EventPayload, timestamp: number): string =>
  JSON.stringify({ event, payload, timestamp })
