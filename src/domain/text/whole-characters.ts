/**
 * JSON text without halves of characters, which strict parsers refuse as a whole. Works on the text, because a reviver
 * makes parsing take up to forty times as long. Owns that repair; parses nothing.
 */

const backslash = 92
const letterU = 117
const letterD = 100
/** The bit that makes a small letter of a capital one. */
const toSmall = 32
const escapeChars = 6
const firstHigh = 0xd800
const firstLow = 0xdc00

/** The half of a surrogate pair whose escape begins there; 0: none does. */
const halfAt = (text: string, at: number): number => {
  if (text.charCodeAt(at) !== backslash || text.charCodeAt(at + 1) !== letterU) return 0
  if ((text.charCodeAt(at + 2) | toSmall) !== letterD) return 0
  // less than four hexadecimal digits are less than this
  const unit = Number.parseInt(text.slice(at + 2, at + escapeChars), 16)
  return unit >= firstHigh ? unit : 0
}

/** The text, each escape of half a pair without its other half replaced by `\ufffd`. Invalid JSON stays invalid. */
export const withWholeCharacters = (text: string): string => {
  let whole = ""
  let from = 0
  for (let at = text.indexOf("\\"); at >= 0; ) {
    const half = halfAt(text, at)
    const isPair = half > 0 && half < firstLow && halfAt(text, at + escapeChars) >= firstLow
    if (half > 0 && !isPair) {
      whole += `${text.slice(from, at)}\\ufffd`
      from = at + escapeChars
    }
    at = text.indexOf("\\", at + (isPair ? 2 * escapeChars : 2))
  }
  return whole + text.slice(from)
}
