/**
 * Chat input: joins the legacy text and the canonical envelope into one form. Owns which input is valid, what a daemon
 * gets, and the shape in which a daemon's chat is passed on. Knows no daemon.
 */
import { Result } from "effect"
import { PayloadTooLarge, ValidationFailed } from "../../errors.ts"
import { chatPartsMax, chatTextBytesMax } from "../../limits.ts"
import { isRecord } from "../../protocol/is-record.ts"

/** What a caller may give: one of the two forms; `input` wins. */
export interface ChatGiven {
  readonly message?: string
  readonly input?: {
    readonly parts?: ReadonlyArray<{ readonly type: string; readonly text?: string }>
    readonly textFallback?: string
  }
}

/** What a daemon is given: the envelope, and the same as one text. */
export interface ChatInput {
  readonly message: string
  readonly input: {
    readonly parts: ReadonlyArray<{ readonly type: "text"; readonly text: string }>
    readonly textFallback: string
  }
}

type Read = Result.Result<ChatInput, ValidationFailed | PayloadTooLarge>

const refuse = (path: string, message: string): Read =>
  Result.fail(new ValidationFailed({ issues: [{ path, message }] }))

const blank = (text: string): boolean => text.trim() === ""

const bounded = (parts: ChatInput["input"]["parts"], textFallback: string): Read => {
  const said = parts.reduce((bytes, part) => bytes + Buffer.byteLength(part.text), 0)
  if (Math.max(said, Buffer.byteLength(textFallback)) > chatTextBytesMax) {
    return Result.fail(new PayloadTooLarge({ limit: chatTextBytesMax }))
  }
  return Result.succeed({ message: textFallback, input: { parts, textFallback } })
}

const envelope = (given: NonNullable<ChatGiven["input"]>, root: string): Read => {
  const fallback = given.textFallback ?? ""
  const texts: Array<string> = []
  const parts = given.parts ?? []
  if (parts.length > chatPartsMax) return refuse(`${root}.parts`, `At most ${chatPartsMax} parts`)
  for (const [at, part] of parts.entries()) {
    if (part.type !== "text") return refuse(`${root}.parts.${at}.type`, "Only parts of type text are taken")
    if (part.text === undefined) return refuse(`${root}.parts.${at}.text`, "Missing")
    texts.push(part.text)
  }
  const joined = texts.join("\n")
  if (blank(joined) && blank(fallback)) return refuse(root, "Says nothing")
  const said = blank(joined) ? [fallback] : texts
  return bounded(
    said.map((text) => ({ type: "text" as const, text })),
    blank(fallback) ? joined : fallback
  )
}

/** Reads chat input. `prefix` is where it stands in the body, for naming what does not fit. */
export const readChatInput = (given: ChatGiven, prefix = ""): Read => {
  if (given.input !== undefined) return envelope(given.input, `${prefix}input`)
  if (given.message === undefined) return refuse(`${prefix}message`, "Either message or input is needed")
  if (blank(given.message)) return refuse(`${prefix}message`, "Says nothing")
  return bounded([{ type: "text", text: given.message }], given.message)
}

const fits: Readonly<Record<string, (value: unknown) => boolean>> = {
  messages: Array.isArray,
  status: (value) => typeof value === "string",
  title: (value) => typeof value === "string",
  activeModal: isRecord
}

/** A daemon's chat as it is shown: its members as they are, without those whose kind is wrong; nothing is invented. */
export const chatView = (result: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(result).filter(([name, value]) => !Object.hasOwn(fits, name) || fits[name]!(value)))
