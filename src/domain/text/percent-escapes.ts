/**
 * Percent-escapes in a text that may be cut or malformed. Owns the reading of those of ASCII signs; refuses nothing.
 */

const ascii = /%([2-7][0-9A-Fa-f])/gu

/** The text with its escapes of ASCII signs read; the others stay. */
export const withoutEscapes = (text: string): string =>
  text.includes("%") ? text.replace(ascii, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))) : text
