/** What a session's events amount to: messages, tool calls, questions. Pure; owns the folding and its bounds. */
import type { Streamed } from "@hub/client"
import { entryCharsMax, logCharsMax, logEntriesMax } from "../limits.ts"
import { lastCharacters } from "../visible.ts"
import { type ToolBlock, toolBlocks } from "./tool-details.ts"

/** An event of a session. */
export type LogEvent = Streamed<"sessions.stream">

/** One entry of the page. */
export type Entry = { readonly key: string; readonly at: number } & (
  | { readonly kind: "message"; readonly role: string; readonly text: string; readonly whole: boolean }
  | { readonly kind: "thought"; readonly text: string }
  | {
      readonly kind: "tool"
      readonly title: string
      readonly status: string
      readonly blocks: ReadonlyArray<ToolBlock>
    }
  | {
      readonly kind: "question"
      readonly promptId: string | undefined
      readonly text: string
      readonly buttons: ReadonlyArray<string>
      readonly answer: string | undefined
    }
  | { readonly kind: "plan"; readonly steps: ReadonlyArray<{ readonly text: string; readonly status: string }> }
  | { readonly kind: "error"; readonly text: string }
  | { readonly kind: "gap"; readonly text: string }
)

/** A session as it stands. */
export interface SessionLog {
  readonly entries: ReadonlyArray<Entry>
  readonly status: string | undefined
  /** About how many characters the entries have. */
  readonly chars: number
  /** Whether entries were left out at the beginning. */
  readonly cut: boolean
}

/** Before the first event. */
export const emptyLog: SessionLog = { entries: [], status: undefined, chars: 0, cut: false }

const text = (value: unknown): string => (typeof value === "string" ? value : "")
const last = (value: string): string =>
  value.length > entryCharsMax ? `…${lastCharacters(value, entryCharsMax)}` : value
const members = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const charsOf = (entry: Entry | undefined): number => {
  if (entry === undefined) return 0
  if (entry.kind === "tool")
    return entry.blocks.reduce(
      (sum, block) =>
        sum + (block.kind === "diff" ? (block.before ?? "").length + block.after.length : block.text.length),
      0
    )
  return entry.kind === "plan" ? 0 : entry.text.length
}

/** The log without its oldest entries where it has too many. */
const bounded = (log: SessionLog): SessionLog => {
  let [from, { chars }] = [Math.max(0, log.entries.length - logEntriesMax), log]
  for (let at = 0; at < from; at++) chars -= charsOf(log.entries[at])
  for (; chars > logCharsMax && from < log.entries.length - 1; from++) chars -= charsOf(log.entries[from])
  return from === 0 ? log : { ...log, entries: log.entries.slice(from), chars, cut: true }
}

/** Puts an entry in the place of the one with its key, or at the end. */
const put = (log: SessionLog, key: string, make: (before: Entry | undefined) => Entry): SessionLog => {
  const at = log.entries.findLastIndex((entry) => entry.key === key)
  const before = log.entries[at]
  const made = make(before)
  const entries = at >= 0 ? log.entries.with(at, made) : [...log.entries, made]
  return bounded({ ...log, entries, chars: log.chars + charsOf(made) - charsOf(before) })
}

const said = (log: SessionLog, event: LogEvent): SessionLog => {
  const base = { key: `m:${text(event["messageId"]) || event.seq}`, at: event.timestamp }
  const role = text(event["role"])
  if (event.type === "message") {
    const whole = { ...base, kind: "message", role, text: last(text(event["text"])), whole: true } as const
    return put(log, base.key, () => whole)
  }
  return put(log, base.key, (before) => {
    const so = before?.kind === "message" || before?.kind === "thought" ? before.text : ""
    const more = last(so + text(event["delta"]))
    if (event.type === "thought_delta") return { ...base, kind: "thought", text: more }
    return { ...base, kind: "message", role, text: more, whole: false }
  })
}

const called = (log: SessionLog, event: LogEvent): SessionLog => {
  const key = `t:${text(event["toolCallId"]) || event.seq}`
  return put(log, key, (before) => {
    const known = before?.kind === "tool" ? before : undefined
    return {
      key,
      at: known?.at ?? event.timestamp,
      kind: "tool",
      title: text(event["title"]) || known?.title || "Tool call",
      status: text(event["status"]) || known?.status || "",
      blocks: toolBlocks(event) ?? known?.blocks ?? []
    }
  })
}

const asked = (log: SessionLog, event: LogEvent): SessionLog => {
  const promptId = text(event["promptId"]) || undefined
  const key = `q:${promptId ?? "unnamed"}`
  if (event.type === "approval_requested") {
    return put(log, promptId === undefined ? `${key}:${event.seq}` : key, () => ({
      key: promptId === undefined ? `${key}:${event.seq}` : key,
      at: event.timestamp,
      kind: "question",
      promptId,
      text: text(event["message"]),
      buttons: list(event["buttons"]).map(text),
      answer: undefined
    }))
  }
  const answer = text(event["action"]) || "answered"
  const entries = log.entries.map((entry) =>
    entry.kind === "question" && entry.answer === undefined && (promptId === undefined || entry.promptId === promptId)
      ? { ...entry, answer }
      : entry
  )
  return { ...log, entries }
}

const planned = (log: SessionLog, event: LogEvent): SessionLog =>
  put(log, "plan", () => ({
    key: "plan",
    at: event.timestamp,
    kind: "plan",
    steps: list(event["entries"]).map((step) => ({
      text: text(members(step)["content"]),
      status: text(members(step)["status"])
    }))
  }))

/** The session after an event. Types that are not known change nothing. */
export const afterLogEvent = (log: SessionLog, event: LogEvent): SessionLog => {
  const { type, seq, timestamp: at } = event
  if (type === "message" || type === "message_delta" || type === "thought_delta") return said(log, event)
  if (type === "tool_call" || type === "tool_call_update") return called(log, event)
  if (type === "approval_requested" || type === "approval_resolved") return asked(log, event)
  if (type === "plan") return planned(log, event)
  if (type === "status") return { ...log, status: text(event["status"]) }
  if (type !== "error") return log
  const words = text(event["error"]) || text(event["message"]) || "The agent failed."
  return put(log, `e:${seq}`, () => ({ key: `e:${seq}`, at, kind: "error", text: words }))
}

/** The session after a gap. A log that restarted numbers its messages anew, so what was before it goes. */
export const afterGap = (log: SessionLog, reason: string | undefined, at: number): SessionLog => {
  const restarted = reason === "log_restarted"
  const text = restarted ? "The daemon began a new log here." : "Something before this is not kept any more."
  const before = restarted ? emptyLog : log
  const key = `g:${at}:${before.entries.length}`
  return put(before, key, () => ({ key, at, kind: "gap", text }))
}

/** The question that waits for an answer. */
export const openQuestion = ({ entries }: SessionLog): Extract<Entry, { kind: "question" }> | undefined => {
  const found = entries.findLast((entry) => entry.kind === "question" && entry.answer === undefined)
  return found?.kind === "question" ? found : undefined
}
