/**
 * What a command says of a chat, which never enters the store. Owns which types are not kept at all, and what is kept
 * of the answer to a message. Pure.
 */
import { chatAnswerBytesMax, chatIdCharsMax } from "../../limits/commands.ts"
import type { CommandType } from "../../protocol/frames.ts"
import { isRecord } from "../../protocol/is-record.ts"
import type { CommandEnd } from "./stored-command.ts"

const sayChats: ReadonlySet<CommandType> = new Set(["read_chat", "read_log", "chat_debug_bundle"])

/** Whether a command may have a row: its result is not a chat. */
export const mayBeStored = (type: CommandType): boolean => !sayChats.has(type)

const isId = (name: string, value: unknown): boolean =>
  /^id$|Id$/u.test(name) && typeof value === "string" && value.length <= chatIdCharsMax

/** Ids and flags of the answer to a message: a daemon may have put the reply beside them. */
const idsOf = (json: string): string | undefined => {
  if (Buffer.byteLength(json) > chatAnswerBytesMax) return undefined
  const given: unknown = JSON.parse(json)
  if (!isRecord(given)) return undefined
  const kept = Object.entries(given).filter(([name, value]) => typeof value === "boolean" || isId(name, value))
  return JSON.stringify(Object.fromEntries(kept))
}

/** An end without what it says of a chat. */
export const withoutChat = (type: CommandType, end: CommandEnd): CommandEnd => {
  const { result } = end
  if (result === undefined) return end
  if (type === "send_chat") return { ...end, result: idsOf(result) }
  return mayBeStored(type) ? end : { ...end, result: undefined }
}
