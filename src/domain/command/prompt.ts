/**
 * Approvals that are bound to the prompt that was seen. Owns when another prompt waits, as far as the hub or the daemon
 * knows, and that a daemon is named its own ids only.
 */
import type { SessionReport } from "../../protocol/frames.ts"
import { isRecord } from "../../protocol/is-record.ts"
import { isHubPrompt } from "../daemon/prompt-ids.ts"
import type { Command, CommandAnswer } from "./command.ts"

/** What may be done about a prompt. */
export const promptActions = ["approve", "reject", "always"] as const

/** The code with which a daemon refuses to resolve another prompt than the one named. */
const changedCode = "prompt_changed"

/** The prompt that a command is to resolve; undefined: whichever waits. */
export const promptOf = ({ type, payload }: Pick<Command, "type" | "payload">): string | undefined => {
  if (type !== "resolve_action" || !isRecord(payload)) return undefined
  const { promptId } = payload
  return typeof promptId === "string" ? promptId : undefined
}

/** Whether a session waits on this prompt. A daemon reports a prompt before it tells of it. */
export const waitsOn = ({ activeModal }: Pick<SessionReport, "activeModal">, promptId: string): boolean =>
  activeModal?.promptId === promptId

/** The command as its daemon gets it: it knows no id that the hub gave. */
export const forDaemon = (command: Command): Command => {
  const promptId = promptOf(command)
  if (promptId === undefined || !isHubPrompt(promptId)) return command
  const { promptId: _, ...payload } = command.payload as Readonly<Record<string, unknown>>
  return { ...command, payload }
}

/** Whether the daemon resolved nothing because another prompt waits. */
export const isPromptChanged = ({ success, code }: Pick<CommandAnswer, "success" | "code">): boolean =>
  !success && code === changedCode
