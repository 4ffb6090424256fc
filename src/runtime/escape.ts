/**
 * Makes foreign text safe to show on a terminal or in a log. Owns which characters are escaped. Everything written to
 * stdout or stderr passes through here.
 */

// Control characters, and invisible ones that change how the rest is shown (U+202E, U+200B, separators).
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
const invisibleButNewline = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

const code = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`

const codeUnits = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
  ).join("")

/** The text in one line, with every control and format character as its code: `\u{1b}`. */
export const plain = (text: string): string => text.replace(invisible, code)

/** The same in its own length: each such character as U+FFFD. For names that a person is to read. */
export const masked = (text: string): string => text.replace(invisible, "\ufffd")

/** The same for lines of the hub's own making: their line breaks stay. */
export const plainLines = (text: string): string => text.replace(invisibleButNewline, code)

/** JSON on one line, still valid: it also escapes what JSON allows and a terminal might obey. */
export const plainJson = (json: string): string => json.replace(invisible, codeUnits)
