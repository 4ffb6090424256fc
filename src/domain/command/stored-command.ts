/**
 * A command that outlives its call: its states, which may follow which, and who may read it. Owns these rules and the
 * shape; stores and sends nothing.
 */

import { storedErrorCharsMax, storedResultBytesMax } from "../../limits/commands.ts"
import type { CommandType } from "../../protocol/frames.ts"
import { LargeResult } from "../../protocol/large-frame.ts"
import type { Scope } from "../account/scopes.ts"
import { cutToChars } from "../text/truncate.ts"
import type { CommandAnswer } from "./command.ts"
import { exitCodeIn, type TerminalOutcome } from "./terminal-outcome.ts"

export const commandStates = ["pending", "succeeded", "failed", "cancelled", "timed_out", "lost"] as const
export type CommandState = (typeof commandStates)[number]

/** The daemon has said how it ended. */
export const answeredStates = ["succeeded", "failed", "cancelled"] as const satisfies ReadonlyArray<CommandState>
/** The hub does not know how it ended. */
export const unknownStates = ["timed_out", "lost"] as const satisfies ReadonlyArray<CommandState>

const isOneOf = (states: ReadonlyArray<CommandState>, state: CommandState): boolean => states.includes(state)

/** Whether a command in one state may take the other: an end is final, unless it only said that it is not known. */
export const mayBecome = (from: CommandState, to: CommandState): boolean => {
  if (from === "pending") return to !== "pending"
  return isOneOf(unknownStates, from) && isOneOf(answeredStates, to)
}

/** Why a result that came is not kept. */
export type Omitted = "RESULT_TOO_LARGE" | "RESULT_NOT_KEPT"

/** How a command ended. */
export interface CommandEnd {
  readonly state: Exclude<CommandState, "pending">
  /** JSON. */
  readonly result?: string | undefined
  readonly omitted?: Omitted | undefined
  readonly error?: string | undefined
  /** The daemon's own word for it. */
  readonly code?: string | undefined
  /** Of a terminal command. */
  readonly outcome?: TerminalOutcome | undefined
}

/** The code of a daemon whose command was ended by a cancel. */
const cancelledCode = "cancelled"

const jsonOf = (result: unknown): string | undefined =>
  result instanceof LargeResult
    ? Buffer.from(result.bytes.buffer, result.bytes.byteOffset, result.bytes.byteLength).toString()
    : (JSON.stringify(result) as string | undefined)

/** What is kept of a result: a refusal has one too, where something came of its command before. */
const keptOf = (result: unknown): Pick<CommandEnd, "result" | "omitted" | "outcome"> => {
  const json = jsonOf(result)
  if (json !== undefined && Buffer.byteLength(json) > storedResultBytesMax)
    return { omitted: "RESULT_TOO_LARGE", outcome: { exitCode: exitCodeIn(json) } }
  return json === undefined ? {} : { result: json }
}

/** How a command ended by what its daemon answered. */
export const endOf = ({ success, result, error, code }: CommandAnswer): CommandEnd => {
  if (success) return { state: "succeeded", ...keptOf(result) }
  const state = code === cancelledCode ? "cancelled" : "failed"
  const words = error === undefined ? {} : { error: cutToChars(error, storedErrorCharsMax) }
  const named = code === undefined ? {} : { code: cutToChars(code, storedErrorCharsMax) }
  return { state, ...words, ...named, ...keptOf(result) }
}

/** A stored command, without its result. Times are epoch milliseconds. */
export interface StoredCommand {
  readonly commandId: string
  readonly accountId: string
  readonly daemonId: string
  readonly type: CommandType
  readonly state: CommandState
  readonly createdAt: number
  /** When it counts as timed out. */
  readonly deadlineAt: number
  /** When a caller asked for its end. */
  readonly cancelAt: number | undefined
  readonly finishedAt: number | undefined
  readonly omitted: Omitted | undefined
  readonly error: string | undefined
  readonly code: string | undefined
  /** Of a terminal command that ended, as far as its daemon said. */
  readonly outcome?: TerminalOutcome
  /** What it ran, as far as that is shown. */
  readonly said?: string
  /** Its daemon knows how to end it. */
  readonly cancellable: boolean
}

const sending: Readonly<Record<CommandType, ReadonlyArray<Scope>>> = {
  terminal_exec: ["terminal:exec"],
  send_chat: ["ide:control", "agent:control"],
  resolve_action: ["ide:control", "agent:control"],
  interrupt: ["agent:control"],
  read_chat: ["ide:control", "agent:read"],
  read_log: ["ide:control", "agent:read"],
  chat_debug_bundle: ["agent:read"],
  screenshot: ["ide:control"],
  launch_ide: ["ide:control"],
  launch_cli: ["ide:control"],
  stop_cli: ["ide:control"],
  stop_ide: ["ide:control"]
}

/** The scopes of which one is needed to see a command of this type, and to cancel it: those that may send it. */
export const scopesFor = (type: CommandType): ReadonlyArray<Scope> => sending[type]

/** The types that a credential with these scopes may see. */
export const visibleTypes = (scopes: ReadonlySet<Scope>): ReadonlyArray<CommandType> =>
  (Object.keys(sending) as Array<CommandType>).filter((type) => sending[type].some((scope) => scopes.has(scope)))
