/**
 * How deep a JSON text nests, how many values it holds and how many names. Text within the depth bound is safe for
 * plain recursion anywhere in the hub and in the store; the counts tell what parsing it costs
 * (src/domain/limits/cost.ts). Owns the counts; parses nothing.
 */
import { randomInt } from "node:crypto"

/** Between values nothing else is as small. */
const blank = 32
const quote = 34
const comma = 44
const zero = 48
const nine = 57
const colon = 58
const openBracket = 91
const backslash = 92
const openBrace = 123
/** The bit that makes a brace of a bracket. */
const toBrace = 32
/** From the sign that opens to the one that closes. */
const toClosing = 2
/** So much of a string is looked through sign by sign: most are shorter, and a call costs more. */
const nearChars = 64

/** The engine reads a number of so many digits at once; of a longer one it may have to compare all. */
const quickDigits = 18
/** A longer one may have a dot. */
const dotChars = 1
/** What that takes, in digits, beside those beyond. */
const comparedDigits = 24

/**
 * Shapes that a scan knows again, in sets of two by their hash; a third of a set pushes out the one before, which
 * counts as new then.
 */
const namesKnown = 1_024
const setsBits = Math.log2(namesKnown / 2)
const known = new Int32Array(namesKnown)
/** Odd, and another one in each process: who sends names cannot choose some that hash alike. */
const factor = (randomInt(2 ** 31) * 2 + 1) | 0
const secondFactor = 0x2c1b_3c6d
/** Differs from scan to scan, so that the names of the last ones are not known. */
let start = 0
/** By a wide step: of starts that are near each other the names hash alike too often. */
const startStep = (randomInt(2 ** 31) * 2 + 1) | 0
/** The hash of the string that was read last. */
let hash = 0
/** The hash of the names so far of each object that is open, by its depth. */
const shapes: Array<number> = []
/** That of the long string before: each has another, whatever it says. */
let longHash = 0

/** Where the string whose first sign is at `from` is closed, of valid JSON text; the end of the text if nowhere. */
export const endOfString = (text: string, from: number): number => {
  const near = Math.min(text.length, from + nearChars)
  let at = from
  let mixed = start
  for (; at < near; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      hash = mixed
      return at
    }
    mixed = Math.imul(mixed ^ code, factor)
    if (code === backslash) at++
  }
  // a long one (a snapshot, a terminal's output) is searched natively, and is new as a name
  longHash = (longHash + 1) | 0
  hash = longHash
  for (;;) {
    const end = text.indexOf('"', at)
    if (end < 0) return text.length
    let escapes = 0
    while (end - 1 - escapes >= at && text.charCodeAt(end - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return end
    at = end + 1
  }
}

/** How much is in a JSON text. */
export interface JsonExtent {
  readonly depth: number
  /** Its values, those in others and itself among them; the name of a member is one more. */
  readonly values: number
  /**
   * Names of members that are new behind those before them in their object, or a few more: the engine makes something
   * for each, also for known names in another order.
   */
  readonly names: number
  /** Objects and arrays. */
  readonly containers: number
  /** Digits of its numbers beyond those that the engine reads at once, and some more for each such number. */
  readonly digits: number
  /** Its characters, where whole ones are made of halves before it is parsed (whole-characters.ts). */
  readonly repaired?: number
}

/** The digits that count of the number that stands there, if one does. */
const slowDigits = (text: string, from: number, to: number): number => {
  // blanks, a sign and zeros say nothing before the first other digit
  let at = from
  while (at < to && text.charCodeAt(at) <= zero) at++
  if (to - at <= quickDigits + dotChars) return 0
  let digits = 0
  for (; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code >= zero && code <= nine) digits++
  }
  return digits > quickDigits ? digits - quickDigits + comparedDigits : 0
}

/** Whether the string that was read last is new as the next name of the object at this depth. */
const isNewName = (depth: number): boolean => {
  const shape = Math.imul(shapes[depth]! ^ hash, factor)
  shapes[depth] = shape
  // of a product its high bits are mixed best; the second mix is for a factor that is a bad one by chance
  const at = (Math.imul(shape ^ (shape >>> 15), secondFactor) >>> (32 - setsBits)) * 2
  if (known[at] === shape || known[at + 1] === shape) return false
  known[at + 1] = known[at]!
  known[at] = shape
  return true
}

/** The extent of valid JSON text, counted until one of the two is just past its `enough`. Ends on any text. */
export const jsonExtent = (text: string, enoughDepth: number, enoughValues: number): JsonExtent => {
  let depth = 0
  let deepest = 0
  let values = 1
  let names = 0
  let containers = 0
  let digits = 0
  /** Where the sign between values was that was read last, or the end of a string. */
  let last = -1
  start = (start + startStep) | 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < openBracket) {
      if (code === quote) {
        at = endOfString(text, at + 1)
        last = at
      } else if (code === comma || code === colon) {
        if (code === colon && depth > 0 && isNewName(depth)) names++
        if (++values > enoughValues) break
        if (at - last > quickDigits + dotChars) digits += slowDigits(text, last + 1, at)
        last = at
      }
    } else if ((code | toBrace) === openBrace) {
      containers++
      if (++depth > deepest) {
        deepest = depth
        if (deepest > enoughDepth) break
      }
      let next = text.charCodeAt(at + 1)
      while (next <= blank) next = text.charCodeAt(++at + 1)
      shapes[depth] = start
      // each comma is one more value, and so is the first of all that hold any
      if (next === code + toClosing) {
        depth--
        at++
      } else if (++values > enoughValues) break
      last = at
    } else if ((code | toBrace) === openBrace + toClosing) {
      depth--
      if (at - last > quickDigits + dotChars) digits += slowDigits(text, last + 1, at)
      last = at
    }
  }
  if (containers === 0) digits = slowDigits(text, last + 1, text.length)
  return { depth: deepest, values, names, containers, digits }
}
