/**
 * The raw command route: the seven documented types and the payload keys the specification names, which are checked and
 * absent where they are null; other keys pass. Owns this list, so that `ide:control` never becomes `terminal:exec`.
 */
import { Result } from "effect"
import { type Issue, type PayloadTooLarge, ValidationFailed } from "../../errors.ts"
import { pathCharsMax, promptIdCharsMax, targetCharsMax, wordCharsMax } from "../../limits.ts"
import type { CommandType } from "../../protocol/frames.ts"
import { isRecord } from "../../protocol/is-record.ts"
import { type ChatGiven, readChatInput } from "./chat.ts"
import { promptActions } from "./prompt.ts"

/** The types a caller may send. */
export const rawTypes = [
  "send_chat",
  "read_chat",
  "resolve_action",
  "screenshot",
  "launch_ide",
  "launch_cli",
  "stop_cli"
] as const satisfies ReadonlyArray<CommandType>

export type RawType = (typeof rawTypes)[number]

/** A checked command. `targetSessionId` left the payload; absent, the daemon picks. */
export interface RawCommand {
  readonly type: RawType
  readonly payload: Readonly<Record<string, unknown>>
  readonly targetSessionId?: string
}

type Check = (value: unknown) => string | undefined

const word =
  (max: number): Check =>
  (value) =>
    typeof value !== "string" || value.trim() === ""
      ? "Expected a text"
      : value.length > max
        ? `At most ${max} characters`
        : undefined
const type = word(wordCharsMax)
const flag: Check = (value) => (typeof value === "boolean" ? undefined : "Expected true or false")
const size: Check = (value) => (Number.isSafeInteger(value) && (value as number) > 0 ? undefined : "Expected a width")
const actions: ReadonlyArray<unknown> = promptActions
const action: Check = (value) => (actions.includes(value) ? undefined : "Expected approve, reject or always")

/** A key of a payload: its name, what it must be, and whether it must be there, or is absent when it is empty. */
type Key = readonly [name: string, check: Check, rule?: "needed" | "empty is absent"]

// an empty one is a fault of the caller's: without it the daemon would pick
const session: Key = ["targetSessionId", word(targetCharsMax)]
// an empty one is a fault of the caller's: without it any prompt would be resolved
const promptId: Key = ["promptId", word(promptIdCharsMax)]
const agentType: Key = ["agentType", type, "empty is absent"]
const input: ReadonlyArray<Key> = [
  ["message", () => undefined],
  ["input", () => undefined]
]

const keys: Readonly<Record<RawType, ReadonlyArray<Key>>> = {
  send_chat: [...input, agentType, session],
  read_chat: [agentType, session],
  resolve_action: [["action", action, "needed"], promptId, agentType, session],
  screenshot: [["width", size], session],
  launch_ide: [["ideType", type, "needed"], ["enableCdp", flag], session],
  launch_cli: [
    ["cliType", type, "needed"],
    ["dir", word(pathCharsMax), "empty is absent"],
    ["model", type, "empty is absent"],
    session
  ],
  stop_cli: [["cliType", type, "needed"], session]
}

const none: ReadonlyArray<Issue> = []

type Payload = Readonly<Record<string, unknown>>

/** The payload without the known keys that are absent: the same where there is none, as in nearly all. */
const withoutAbsent = (payload: Payload, known: ReadonlyArray<Key>): Payload => {
  let rest: Record<string, unknown> | undefined
  for (const [name, , rule] of known) {
    if (!Object.hasOwn(payload, name)) continue
    if (payload[name] !== null && !(payload[name] === "" && rule === "empty is absent")) continue
    rest ??= { ...payload }
    delete rest[name]
  }
  return rest ?? payload
}

const check = (payload: Readonly<Record<string, unknown>>, known: ReadonlyArray<Key>): ReadonlyArray<Issue> => {
  let issues: Array<Issue> | undefined
  for (const [name, one, rule] of known) {
    const given = Object.hasOwn(payload, name) ? payload[name] : undefined
    const message = given === undefined ? (rule === "needed" ? "Missing" : undefined) : one(given)
    if (message === undefined) continue
    issues ??= []
    issues.push({ path: `payload.${name}`, message })
  }
  return issues ?? none
}

const chatShape = (payload: Readonly<Record<string, unknown>>): ReadonlyArray<Issue> => {
  const { message, input } = payload
  if (input !== undefined) {
    const parts = isRecord(input) ? (input["parts"] ?? []) : undefined
    const fallback = isRecord(input) ? (input["textFallback"] ?? "") : undefined
    const good =
      typeof fallback === "string" &&
      Array.isArray(parts) &&
      parts.every((part) => isRecord(part) && typeof part["type"] === "string" && typeof part["text"] === "string")
    return good ? [] : [{ path: "payload.input", message: "Expected parts of text and a textFallback" }]
  }
  if (message !== undefined && typeof message !== "string")
    return [{ path: "payload.message", message: "Expected a text" }]
  return []
}

/** Reads a raw command. Chat is given to the daemon in both forms, as by the shortcut. */
export const readRawCommand = (
  given: string,
  asked: Payload
): Result.Result<RawCommand, ValidationFailed | PayloadTooLarge> => {
  if (!(rawTypes as ReadonlyArray<string>).includes(given)) {
    return Result.fail(
      new ValidationFailed({ issues: [{ path: "type", message: `Expected one of ${rawTypes.join(", ")}` }] })
    )
  }
  const type = given as RawType
  const payload = withoutAbsent(asked, keys[type])
  const plain = check(payload, keys[type])
  const issues = type === "send_chat" ? [...plain, ...chatShape(payload)] : plain
  if (issues.length > 0) return Result.fail(new ValidationFailed({ issues }))
  // the plainest and most frequent: nothing to take out of it
  if (type !== "send_chat" && !Object.hasOwn(payload, "targetSessionId")) return Result.succeed({ type, payload })
  const { targetSessionId, ...rest } = payload
  const addressed = targetSessionId === undefined ? {} : { targetSessionId: targetSessionId as string }
  if (type !== "send_chat") return Result.succeed({ type, payload: rest, ...addressed })
  return Result.map(readChatInput(rest as ChatGiven, "payload."), (said) => ({
    type,
    payload: { ...rest, ...said },
    ...addressed
  }))
}
