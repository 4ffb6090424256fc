/**
 * A place in a log as a caller is given it: opaque text that names the log, its numbering and a number. Owns the form;
 * pure.
 */
import { hash } from "node:crypto"
import { Result } from "effect"
import { logIdCharsMax } from "../../limits/logs.ts"
import { keyOf, type LogName } from "./log.ts"

/** Behind this event of this numbering. */
export interface LogPlace {
  readonly logId: string
  readonly seq: number
}

/** Before the oldest event that is kept. */
export const beginning = "0"

const form = /^([\w-]{12})\.([\w-]{1,800})\.(\d{1,16})$/u
const tagChars = 12

/** What all places in one log begin with: it says nothing of the daemon or the session. */
export const logTag = (daemonId: string, log: LogName): string =>
  hash("sha256", `${daemonId} ${keyOf(log)}`, "base64url").slice(0, tagChars)

/** What all places in one numbering of a log begin with. */
export const cursorHead = (tag: string, logId: string): string => `${tag}.${Buffer.from(logId).toString("base64url")}.`

/** A place as text. */
export const cursorOf = (tag: string, { logId, seq }: LogPlace): string => cursorHead(tag, logId) + String(seq)

/** Reads a place in the log of this tag; the failure is a sentence. */
export const readCursor = (tag: string, text: string): Result.Result<LogPlace | typeof beginning, string> => {
  if (text === beginning) return Result.succeed(beginning)
  const [, of, name, seq] = form.exec(text) ?? []
  if (of === undefined || name === undefined) return Result.fail("must be the id of an event of this log, or 0")
  if (of !== tag) return Result.fail("is of another session or command: it names no event of this one")
  const logId = Buffer.from(name, "base64url").toString()
  const isOurs =
    logId.length <= logIdCharsMax &&
    Number.isSafeInteger(Number(seq)) &&
    Buffer.from(logId).toString("base64url") === name
  return isOurs
    ? Result.succeed({ logId, seq: Number(seq) })
    : Result.fail("must be the id of an event of this log, or 0")
}
