/**
 * Finds type and id of a frame that holds too much to be parsed, wherever they stand. Owns that one walk; judges no
 * frame, and does not find every fault of its JSON.
 */
import { endOfString } from "../domain/text/json-extent.ts"

const quote = 34
const comma = 44
const openBracket = 91
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/** What is told of a frame that was not parsed. */
export interface Envelope {
  readonly type: string
  /** Of its data only this: its id, where that is text. */
  readonly data: { readonly id?: string }
}

const members = ["", "type", "data", "id"] as const

/** Which member of an envelope (depth 1) or of its data (depth 2) a name is. No encoder writes these with escapes. */
const memberOf = (text: string, from: number, to: number, depth: number): (typeof members)[number] =>
  members.find(
    (name) => name.length === to - from && (name === "id" ? 2 : 1) === depth && text.startsWith(name, from)
  ) ?? ""

const wordOf = (literal: string): string | undefined => {
  try {
    return literal === "" ? undefined : JSON.parse(literal)
  } catch {
    return undefined
  }
}

/**
 * Reads the envelope of a text that should be one. Undefined: it is none. Of a member given twice the last one counts.
 */
export const readEnvelope = (text: string): Envelope | undefined => {
  let depth = 0
  let member: (typeof members)[number] = ""
  let nameDue = false
  let inData = false
  let hasData = false
  // as they are written: each may stand there a million times
  let type = ""
  let id = ""
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at + 1)
      if (depth === 1 || (depth === 2 && inData)) {
        if (nameDue) {
          member = memberOf(text, at + 1, end, depth)
          nameDue = false
          if (member === "type") type = ""
          else if (member === "id") id = ""
          else if (member === "data") hasData = false
        } else if (member === "type" && depth === 1) type = text.slice(at, end + 1)
        else if (member === "id" && depth === 2) id = text.slice(at, end + 1)
      }
      at = end
    } else if (code === comma) nameDue = true
    else if (code === openBracket || code === openBrace) {
      nameDue = code === openBrace
      if (++depth === 2) {
        inData = nameDue && member === "data"
        if (inData) {
          hasData = true
          id = ""
        }
      }
    } else if (code === closeBracket || code === closeBrace) depth--
  }
  const name = wordOf(type)
  if (depth !== 0 || name === undefined || !hasData) return undefined
  const known = wordOf(id)
  return { type: name, data: known === undefined ? {} : { id: known } }
}
