/**
 * What is said and done in one session: the chat as it stands, and the log of how it came about. Owns which update of
 * the agent becomes what in each; knows no process and no hub.
 */

import type { ContentChunk, SessionUpdate } from "@agentclientprotocol/sdk"
import { cutToChars } from "../src/domain/text/truncate.ts"
import type { Clock } from "./clock.ts"
import type { EventLog } from "./event-log.ts"
import { lateTextMillis, questionCharactersMax } from "./limits.ts"
import type { Decided } from "./permissions.ts"
import { Transcript } from "./transcript.ts"
import type { Modal } from "./wire.ts"

type Members = Readonly<Record<string, unknown>>

/** What of a tool call is told; what is absent is left out. */
const toolMembers = ["toolCallId", "title", "kind", "status", "locations", "content", "rawInput", "rawOutput"] as const
const usageMembers = ["used", "size", "cost"] as const

const picked = (source: Members, names: ReadonlyArray<string>): Members =>
  Object.fromEntries(
    names.flatMap((name) => (source[name] === undefined || source[name] === null ? [] : [[name, source[name]]]))
  )

const titled = (tool: Members): Members =>
  typeof tool["title"] === "string" ? { ...tool, title: cutToChars(tool["title"], questionCharactersMax) } : tool

/** A message that the agent is still writing. */
interface Writing {
  readonly messageId: string
  /** The agent's own id of it, where it gives one. */
  readonly ownId: string | undefined
}

/** One session's chat and log. */
export class Conversation {
  readonly #log: EventLog
  readonly #clock: Clock
  readonly #transcript = new Transcript()
  #writing: Writing | undefined
  /** The message that the last turn ended with: what comes after is still of it. */
  #ended: Writing | undefined
  #cancelWhole: (() => void) | undefined
  #thoughts = 0
  #thinking: Writing | undefined
  #status = ""

  constructor(log: EventLog, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  #add(type: string, more: Members): void {
    this.#log.add({ type, timestamp: this.#clock.now(), ...more })
  }

  /** The owner said something. Gives back the message's id. */
  said(text: string): string {
    this.complete()
    const messageId = this.#transcript.add("user", text, this.#clock.now())
    this.#add("message", { messageId, role: "user", text: this.#transcript.textOf(messageId) })
    return messageId
  }

  /** The agent did something. */
  heard(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        return this.#wrote(update)
      case "agent_thought_chunk":
        return this.#thought(update)
      case "tool_call":
        this.complete()
        this.#transcript.add("tool", update.title, this.#clock.now())
        return this.#add("tool_call", { status: "pending", ...titled(picked(update, toolMembers)) })
      case "tool_call_update":
        return this.#add("tool_call_update", titled(picked(update, toolMembers)))
      case "plan":
        return this.#add("plan", { entries: update.entries })
      case "usage_update":
        return this.#add("usage", picked(update, usageMembers))
      default:
      // What concerns the agent's own settings is no event of the session.
    }
  }

  #wrote({ content, messageId }: ContentChunk): void {
    if (content.type !== "text" || content.text === "") return
    const ownId = messageId ?? undefined
    if (this.#writing === undefined && this.#ended !== undefined && this.#ended.ownId === ownId)
      return this.#wroteLate(this.#ended.messageId, content.text)
    if (this.#writing !== undefined && this.#writing.ownId !== ownId) this.complete()
    this.#thinking = undefined
    const id = this.#transcript.stream(this.#writing?.messageId, content.text, this.#clock.now())
    this.#writing = { messageId: id, ownId }
    this.#piece("message_delta", id, content.text)
  }

  /** Its message is told once more, when no more of it comes. */
  #wroteLate(messageId: string, text: string): void {
    this.#transcript.stream(messageId, text, this.#clock.now())
    this.#piece("message_delta", messageId, text)
    this.#cancelWhole?.()
    this.#cancelWhole = this.#clock.after(lateTextMillis, () => this.#tellWhole(messageId))
  }

  #tellWhole(messageId: string): void {
    this.#cancelWhole = undefined
    this.#add("message", { messageId, role: "assistant", text: this.#transcript.textOf(messageId) })
  }

  #thought({ content, messageId }: ContentChunk): void {
    if (content.type !== "text") return
    const ownId = messageId ?? undefined
    if (this.#thinking === undefined || this.#thinking.ownId !== ownId) {
      this.#thinking = { messageId: `tht_${++this.#thoughts}`, ownId }
    }
    this.#piece("thought_delta", this.#thinking.messageId, content.text)
  }

  #piece(type: string, messageId: string, text: string): void {
    const body = { type, timestamp: this.#clock.now(), messageId, role: "assistant" }
    this.#log.stream(`${type}:${messageId}`, body, "delta", text)
  }

  /** The agent goes over to something else: the message that it wrote is complete. */
  complete(): void {
    const writing = this.#writing
    const ended = this.#ended
    this.#writing = undefined
    this.#thinking = undefined
    this.#ended = undefined
    if (this.#cancelWhole !== undefined && ended !== undefined) {
      this.#cancelWhole()
      this.#tellWhole(ended.messageId)
    }
    if (writing !== undefined) this.#tellWhole(writing.messageId)
  }

  /** The same at the end of a turn, after which text of it may still come. */
  turnOver(): void {
    const writing = this.#writing
    this.complete()
    this.#ended = writing
  }

  /** Another status; the same again says nothing. `stopReason`: why the turn before it ended early. */
  status(status: string, stopReason?: string): void {
    if (this.#status === status) return
    this.#status = status
    this.#add("status", { status, ...(stopReason === undefined ? {} : { stopReason }) })
  }

  /** A question is shown. */
  asked(modal: Modal): void {
    this.complete()
    this.#add("approval_requested", { ...modal })
  }

  /** It was answered, or withdrawn. */
  resolved(decided: Decided): void {
    this.#add("approval_resolved", { ...decided })
  }

  /** Something went wrong. */
  failed(message: string, code: string | undefined): void {
    this.complete()
    this.#add("error", { message, ...(code === undefined ? {} : { code }) })
  }

  /** The chat as it stands. */
  get chat(): Members {
    const { messages, dropped } = this.#transcript
    return { messages, ...(dropped === 0 ? {} : { droppedMessages: dropped }) }
  }
}
