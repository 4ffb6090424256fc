/**
 * How deep a JSON text nests. What passes here can be walked and written again by plain recursion anywhere in the hub,
 * and stored. Owns the count; parses nothing.
 */

const quote = 34
const backslash = 92
/** So much of a string is looked through sign by sign: most are shorter, and a call costs more. */
const nearChars = 64

/** Where the string whose first sign is at `from` is closed, of valid JSON text. */
const endOfString = (text: string, from: number): number => {
  const near = Math.min(text.length, from + nearChars)
  let at = from
  for (; at < near; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) at++
    else if (code === quote) return at
  }
  // a long one (a picture, a terminal's output) is searched natively
  for (;;) {
    const end = text.indexOf('"', at)
    if (end < 0) return text.length
    let escapes = 0
    while (end - 1 - escapes >= at && text.charCodeAt(end - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return end
    at = end + 1
  }
}

/** The depth of valid JSON text, counted up to just past `enough`. */
export const jsonDepth = (text: string, enough: number): number => {
  if (text.length <= enough) return 0 // a text nests less than it is long
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = endOfString(text, at + 1)
    } else if (code === 123 || code === 91) {
      if (++depth > deepest) {
        deepest = depth
        if (deepest > enough) return deepest
      }
    } else if (code === 125 || code === 93) depth--
  }
  return deepest
}
