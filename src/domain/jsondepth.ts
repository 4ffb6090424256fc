/**
 * How deep a JSON text nests. What passes here can be walked and written again by plain recursion anywhere in the hub,
 * and stored. Owns the count; parses nothing.
 */

const quote = 34
const backslash = 92

/** The depth of valid JSON text, counted up to just past `enough`. */
export const jsonDepth = (text: string, enough: number): number => {
  if (text.length <= enough) return 0 // a text nests less than it is long
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      for (at++; at < text.length; at++) {
        const inner = text.charCodeAt(at)
        if (inner === backslash) at++
        else if (inner === quote) break
      }
    } else if (code === 123 || code === 91) {
      if (++depth > deepest) {
        deepest = depth
        if (deepest > enough) return deepest
      }
    } else if (code === 125 || code === 93) depth--
  }
  return deepest
}
