/**
 * Approvals that are bound to the prompt that was seen. Owns when another prompt waits, as far as the hub or the daemon
 * knows. A prompt without an id binds nothing: the hub invents none, because two questions may have the same words.
 */
import type { SessionReport } from "../../protocol/frames.ts"
import { isRecord } from "../../protocol/is-record.ts"
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

/**
 * Whether the session reports that another prompt waits. One without a prompt says nothing: its report may be on its
 * way.
 */
export const waitsOnAnother = ({ activeModal }: Pick<SessionReport, "activeModal">, promptId: string): boolean =>
  activeModal?.promptId !== undefined && activeModal.promptId !== promptId

/** Whether the daemon resolved nothing because another prompt waits. */
export const isPromptChanged = ({ success, code }: Pick<CommandAnswer, "success" | "code">): boolean =>
  !success && code === changedCode
