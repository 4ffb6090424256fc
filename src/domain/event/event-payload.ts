/**
 * Event payloads as allow-list copies: only members that the specification names leave the hub. Owns every shape and
 * bound of a payload; does not decide who gets it.
 */
import { eventTextCharsMax, modalButtonCharsMax, modalButtonsMax, modalMessageBytesMax } from "../../limits/delivery.ts"
import type { SessionReport, StatusEvent } from "../../protocol/frames.ts"
import type { CommandState, StoredCommand } from "../command/stored-command.ts"
import type { AgentChange } from "../daemon/agent-status.ts"
import type { Snapshot } from "../daemon/snapshot.ts"
import { agentsOf, parentOf, sessionOf } from "../daemon/target-resolution.ts"
import { workspaceNameOf } from "../daemon/workspace.ts"
import type { Job, JobState, TargetCounts } from "../job/job.ts"
import { cutToBytes, cutToChars } from "../text/truncate.ts"
import type { RelayedEvent } from "./events.ts"

/** The kind of every daemon, as payloads name it. */
export const daemonType = "service-daemon"

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

/** The session an event means: the one it names, else the only agent that its other words fit. */
const sessionMeant = (snapshot: Snapshot, given: StatusEvent): SessionReport | undefined => {
  if (text(given.targetSessionId) !== undefined) return sessionOf(snapshot, given.targetSessionId)
  const type = text(given.providerType)
  const conversation = text(given.providerSessionId)
  const fitting = agentsOf(snapshot).filter(
    ({ providerType, providerSessionId }) =>
      (type === undefined || type === providerType) &&
      (conversation === undefined || providerSessionId === undefined || conversation === providerSessionId)
  )
  return fitting.length === 1 ? fitting[0] : undefined
}

/** The payload of a relayed event. What the daemon left out of the session comes from the snapshot. */
export const relayedPayload = (
  snapshot: Snapshot,
  event: RelayedEvent,
  given: StatusEvent,
  now: number
): EventPayload => {
  const session = sessionMeant(snapshot, given)
  const provider = text(given.providerType) ?? text(session?.providerType)
  const prompt = event === "agent:waiting_approval" || event === "agent:waiting_choice"
  const message = prompt ? given.modalMessage : undefined
  return present({
    daemonId: snapshot.daemonId,
    daemonType,
    event,
    timestamp: count(Math.trunc(given.timestamp ?? now)) ?? now,
    targetSessionId: text(given.targetSessionId) ?? text(session?.id),
    providerType: provider === daemonType ? undefined : provider,
    providerSessionId: text(given.providerSessionId) ?? text(session?.providerSessionId),
    workspaceName:
      text(given.workspaceName) ?? (session && text(workspaceNameOf(session, parentOf(snapshot, session)))),
    duration: event === "agent:generating_completed" ? count(given.duration) : undefined,
    elapsedSec: event === "monitor:no_progress" ? count(given.elapsedSec) : undefined,
    promptId: prompt ? text(given.promptId) : undefined,
    modalMessage: message === undefined ? undefined : cutToBytes(message, modalMessageBytesMax),
    modalButtons: prompt ? buttons(given.modalButtons) : undefined,
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
      previousStatus: change.previousStatus
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
