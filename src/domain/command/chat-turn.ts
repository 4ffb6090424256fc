/**
 * One turn of an agent: a message, and what follows until it is idle again. Owns when a turn has begun and when it is
 * over, and which messages of a chat belong to it. A report may be late or leave states out, so a turn whose agent
 * seems idle is over only when the agent was seen at work, or its chat has grown.
 */
import { isRecord } from "../../protocol/is-record.ts"
import { type AgentState, agentState } from "../daemon/target-resolution.ts"

/** What a caller waits for: that the agent is idle, or that too or an approval. */
export const turnWaits = ["idle", "approval"] as const
export type TurnWait = (typeof turnWaits)[number]

/** A turn as far as it was observed. */
export interface Turn {
  readonly state: AgentState
  /** The agent was seen to start on something after the message. */
  readonly begun: boolean
}

/** What a chat says of a turn. */
export interface TurnChat {
  /** What was said after the message: as it is, or in JSON when it is large. Undefined: the daemon did not say. */
  readonly messages: ReadonlyArray<unknown> | Uint8Array | undefined
  /** Whether anything was. */
  readonly grew: boolean
  /** The state of the agent at that moment, where the chat names it. */
  readonly state: AgentState | undefined
  readonly activeModal: Readonly<Record<string, unknown>> | undefined
  /** Why the turn ended before all was said, in the agent's word. */
  readonly stopReason?: string
}

/** A chat that could not be had. */
export const noChat: TurnChat = { messages: undefined, grew: false, state: undefined, activeModal: undefined }

/** The turn after another look at the agent. */
export const observe = (turn: Turn, state: AgentState): Turn => ({
  state,
  begun: turn.begun || (state !== turn.state && state !== "idle")
})

/** Whether a state may be the end. */
export const mayBeOver = (state: AgentState, wait: TurnWait): boolean =>
  state !== "generating" && (state !== "waiting_approval" || wait === "approval")

/** Whether the turn is over. What the chat says of the state is newer than any report. */
export const isOver = (turn: Turn, chat: TurnChat, wait: TurnWait): boolean => {
  const state = chat.state ?? turn.state
  return mayBeOver(state, wait) && (turn.begun || chat.grew || state === "waiting_approval")
}

const isNamed = (message: unknown, id: string): boolean =>
  isRecord(message) && (message["id"] === id || message["messageId"] === id)

const isOfUser = (message: unknown): boolean => isRecord(message) && message["role"] === "user"

/**
 * What a chat says of the turn of a message: what follows the message that the daemon named as it took it, else what
 * follows the last one of a user. Where there is neither, the message is no longer kept or not marked: all is shown.
 */
export const turnChat = (result: Readonly<Record<string, unknown>>, messageId: string | undefined): TurnChat => {
  const { messages: given, status, activeModal, stopReason } = result
  const state = typeof status === "string" ? agentState(status) : undefined
  const modal = isRecord(activeModal) ? activeModal : undefined
  const rest = { state, activeModal: modal, ...(typeof stopReason === "string" && { stopReason }) }
  if (!Array.isArray(given)) return { messages: undefined, grew: false, ...rest }
  const named = messageId === undefined ? -1 : given.findLastIndex((one) => isNamed(one, messageId))
  const at = named >= 0 ? named : given.findLastIndex(isOfUser)
  const messages = given.slice(at + 1)
  return { messages, grew: at >= 0 && messages.length > 0, ...rest }
}

/** The id that a daemon gave a message as it took it. */
export const messageIdOf = (result: unknown): string | undefined =>
  isRecord(result) && typeof result["messageId"] === "string" ? result["messageId"] : undefined
