/**
 * Text that others wrote, as it may be shown on a terminal or stand in a log. Owns which characters are escaped there.
 * Whatever is written to stdout or stderr goes through here.
 */

// Controls and what is invisible but changes how the rest is shown (U+202E, U+200B, line and paragraph separators).
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
const unseenButNewline = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

const code = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`

const codeUnits = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
  ).join("")

/** The text in one line, with every control and format character as its code: `\u{1b}`. */
export const plain = (text: string): string => text.replace(unseen, code)

/** The same of lines of the hub's own making: they stay lines. */
export const plainLines = (text: string): string => text.replace(unseenButNewline, code)

/** JSON in one line that is valid all the same: what JSON itself does not escape, a terminal might obey. */
export const plainJson = (json: string): string => json.replace(unseen, codeUnits)
