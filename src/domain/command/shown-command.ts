/**
 * What is shown of a terminal command where an operator wants to know who ran what: nothing, its first word, or its
 * text without what looks like a secret. Owns this rule; keeps nothing. What is said to agents is never shown.
 */
import { commandNameCharsMax, commandTextCharsMax, shownAccountsMax } from "../../limits/audit.ts"
import { isRecord } from "../../protocol/is-record.ts"
import { isId } from "../ids.ts"
import { redactText } from "../redaction/redaction.ts"
import { cutToChars } from "../text/truncate.ts"

/** How much of a command is shown. */
export const commandsShown = ["off", "names", "full"] as const
export type CommandsShown = (typeof commandsShown)[number]

/** The same for all accounts, and for those that have another. */
export interface CommandsShownOf {
  readonly usual: CommandsShown
  readonly accounts: ReadonlyMap<string, CommandsShown>
}

/** How much is shown of an account's commands. */
export const shownOf = ({ usual, accounts }: CommandsShownOf, accountId: string): CommandsShown =>
  accounts.size === 0 ? usual : (accounts.get(accountId) ?? usual)

const isShown = (word: string | undefined): word is CommandsShown => commandsShown.some((known) => known === word)

/** Reads `names`, or `off,acc_…=full,acc_…=names`; undefined where it is neither. */
export const readCommandsShown = (text: string): CommandsShownOf | undefined => {
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")
  const usual = words.filter((word) => !word.includes("="))
  const pairs = words.filter((word) => word.includes("=")).map((word) => word.split("=") as [string, string])
  const [word = "off"] = usual
  if (usual.length > 1 || !isShown(word) || pairs.length > shownAccountsMax) return undefined
  const accounts = new Map<string, CommandsShown>()
  for (const [accountId, shown, ...rest] of pairs) {
    if (!isId("account", accountId) || !isShown(shown) || rest.length > 0) return undefined
    accounts.set(accountId, shown)
  }
  return { usual: word, accounts }
}

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
