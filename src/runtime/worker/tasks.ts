/**
 * Tasks that would hold the event loop too long: reading large frames, making the answers of shortcuts from large
 * results and bundles, and comparing a case with rules. Owns each task as a function of bytes; runs in a thread and
 * knows none.
 */
import { chatView } from "../../domain/command/chat.ts"
import { type TurnChat, turnChat } from "../../domain/command/chat-turn.ts"
import { terminalResult } from "../../domain/command/terminal.ts"
import { decide, type Subject, type Surroundings } from "../../domain/policy/decide.ts"
import type { Effect, Rule } from "../../domain/policy/rule.ts"
import { boundBundle, boundSnapshot } from "../../domain/redaction/debug-bundle.ts"
import { isRecord } from "../../protocol/is-record.ts"
import { type LargeFrame, readLargeFrame, textOfBytes } from "../../protocol/large-frame.ts"

type Members = Readonly<Record<string, unknown>>

export type WorkerTask =
  /** Reads a large frame. */
  | { readonly task: "frame"; readonly bytes: Uint8Array }
  /** Makes a shortcut's answer from the result of its command. `carried`: further members of the answer. */
  | {
      readonly task: "terminal" | "chat" | "bundle"
      readonly bytes: Uint8Array
      readonly carried: Members
      /** The stored snapshot, for a bundle whose daemon left it out. */
      readonly snapshot?: Members | undefined
    }
  /** Finds in a large chat what belongs to the turn of a message. */
  | { readonly task: "turn"; readonly bytes: Uint8Array; readonly messageId: string | undefined }
  /** Bounds and redacts the snapshot that a dashboard shows. */
  | { readonly task: "snapshot"; readonly bytes: Uint8Array }
  /** Says what rules say of a case: a `RulesCase` in JSON. */
  | { readonly task: "rules"; readonly bytes: Uint8Array }

/** Rules, and a case of which it is asked what they say. */
export interface RulesCase {
  readonly rules: ReadonlyArray<Rule>
  readonly byDefault: "ask" | "deny"
  readonly subject: Subject
  readonly where: Surroundings
}

/** The result of a task. */
export type TaskResult =
  /** `bytes` are those of the frame, returned. */
  | { readonly done: "frame"; readonly read: LargeFrame; readonly bytes: Uint8Array }
  /** An answer in JSON. */
  | { readonly done: "answer"; readonly bytes: Uint8Array }
  | { readonly done: "snapshot"; readonly snapshot: Members }
  /** Its messages are in JSON. */
  | { readonly done: "turn"; readonly chat: TurnChat }
  /** `index`: of the rule that says so; -1: none does. */
  | { readonly done: "verdict"; readonly effect: Effect; readonly index: number }
  /** The result lacks members that its shortcut needs. */
  | { readonly done: "unfit" }

const supplemented = (bundle: Members, snapshot: Members | undefined): Members =>
  snapshot === undefined || "frontendSnapshot" in bundle ? bundle : { ...bundle, frontendSnapshot: snapshot }

const answerOf = (task: Extract<WorkerTask, { carried: Members }>, result: Members): Members | undefined => {
  if (task.task === "terminal") return { ...task.carried, result: terminalResult(result) }
  if (task.task === "chat") return { ...chatView(result), ...task.carried }
  const { bundle, text } = result
  if (!isRecord(bundle)) return undefined
  return {
    ...task.carried,
    ...boundBundle(supplemented(bundle, task.snapshot), typeof text === "string" ? text : undefined)
  }
}

const inJson = (chat: TurnChat): TurnChat =>
  chat.messages === undefined ? chat : { ...chat, messages: new Uint8Array(Buffer.from(JSON.stringify(chat.messages))) }

const verdictOn = ({ rules, byDefault, subject, where }: RulesCase): TaskResult => {
  const { effect, rule } = decide(rules, byDefault, [subject], where)
  return { done: "verdict", effect, index: rule === undefined ? -1 : rules.indexOf(rule) }
}

export const runTask = (task: WorkerTask): TaskResult => {
  if (task.task === "frame") return { done: "frame", read: readLargeFrame(task.bytes), bytes: task.bytes }
  const given: unknown = JSON.parse(textOfBytes(task.bytes))
  if (!isRecord(given)) return { done: "unfit" }
  if (task.task === "rules") return verdictOn(given as unknown as RulesCase)
  if (task.task === "snapshot") return { done: "snapshot", snapshot: boundSnapshot(given) }
  if (task.task === "turn") return { done: "turn", chat: inJson(turnChat(given, task.messageId)) }
  const answer = answerOf(task, given)
  return answer === undefined
    ? { done: "unfit" }
    : { done: "answer", bytes: new Uint8Array(Buffer.from(JSON.stringify(answer))) }
}
