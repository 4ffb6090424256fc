/**
 * Text that a person decides by, as an agent wrote it. Owns which characters are shown by their code: those that are
 * not seen, or that change the order of what is.
 */

const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** The text with each of them as `\u{202e}`. */
export const visible = (text: string): string =>
  text.replace(unseen, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)

/** The end of a text, without half a character at its beginning. */
export const lastCharacters = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(-most).replace(/^[\udc00-\udfff]/u, "")
