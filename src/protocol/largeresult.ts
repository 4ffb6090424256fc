/**
 * Large results of commands, passed on as they came: to parse 8 MiB takes 10 ms, to write them again ten times that. Owns
 * the telling of such a frame by its beginning, and the text that belongs to a result; bounds nothing (frames.ts of the
 * daemon actor does).
 */

/**
 * A frame, and with it a result, is large from so many characters on: it is measured before it is parsed, and the result
 * passed on. A smaller one is sooner parsed, and sooner written again.
 */
export const largeResultChars = 65_536

const head = /^\{"type":"command_result","data":\{"id":"(\w{1,64})","success":true,"result":/u
const tail = "}}"
const texts = new WeakMap<object, string>()

/** Parses the text of a large result and remembers it as its text. Undefined where it is none: not JSON, or a mere word or number. */
export const largeResultOf = (text: string): object | undefined => {
  let result: unknown
  try {
    result = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof result !== "object" || result === null) return undefined
  texts.set(result, text)
  return result
}

/** What a large and canonical frame of success says. */
export interface LargeResult {
  readonly id: string
  readonly success: true
  readonly result: object
}

/**
 * Reads a frame that is large and written as most daemons do. Undefined: it is not such a one, or none at all. What lies
 * between head and tail is one JSON value by itself, so the frame is JSON and has no member but these.
 */
export const readLargeResult = (text: string): LargeResult | undefined => {
  if (text.length < largeResultChars || !text.endsWith(tail)) return undefined
  const found = head.exec(text)
  if (found === null) return undefined
  const result = largeResultOf(text.slice(found[0].length, -tail.length))
  // what is no JSON is told in full by who reads any frame
  return result === undefined ? undefined : { id: found[1]!, success: true, result }
}

/** The JSON text a result came as, where it is a large one. */
export const textOfResult = (result: unknown): string | undefined =>
  typeof result === "object" && result !== null ? texts.get(result) : undefined
