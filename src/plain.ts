/** Text that others wrote, as it may be shown on a terminal. Owns which characters are escaped there. */

// Controls and what is invisible but changes how the rest is shown (U+202E, U+200B, line and paragraph separators).
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** The text with every control and format character as its code: `\u{1b}`. */
export const plain = (text: string): string =>
  text.replace(unseen, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
