/**
 * What is shown of a terminal command where an operator wants to know who ran what: nothing, its first word, or its
 * text without what looks like a secret. Owns this rule; keeps nothing. What is said to agents is never shown.
 */
import { commandNameCharsMax, commandTextCharsMax } from "../../limits/audit.ts"
import { isRecord } from "../../protocol/is-record.ts"
import { redactText } from "../redaction/redaction.ts"
import { cutToChars } from "../text/truncate.ts"

/** How much of a command is shown. */
export const commandsShown = ["off", "names", "full"] as const
export type CommandsShown = (typeof commandsShown)[number]

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
const unseen = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/gu
/** The name of a program behind what is set for it. */
const firstWord = /^(?:\s*\w+=\S*)*\s*(\S+)/u

/** The words that are shown of it; undefined: none. */
export const shownCommand = (shown: CommandsShown, type: string, payload: unknown): string | undefined => {
  if (shown === "off" || type !== "terminal_exec" || !isRecord(payload)) return undefined
  const { command } = payload
  if (typeof command !== "string") return undefined
  const words = shown === "names" ? (firstWord.exec(command)?.[1] ?? "") : command
  return cutToChars(
    redactText(words).replace(unseen, " ").trim(),
    shown === "names" ? commandNameCharsMax : commandTextCharsMax
  )
}
