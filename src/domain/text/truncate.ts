/** Truncates texts to a number of bytes. Owns the boundary: never inside a character. */

/** The longest start of a text that takes at most `bytes` in UTF-8. */
export const cutToBytes = (text: string, bytes: number): string => {
  if (text.length * 3 <= bytes) return text
  const encoded = Buffer.from(text)
  if (encoded.length <= bytes) return text
  let end = Math.max(0, bytes)
  while (end > 0 && (encoded[end]! & 0xc0) === 0x80) end--
  return encoded.toString("utf8", 0, end)
}

/** The longest start of a text of at most `chars` UTF-16 units that does not split a surrogate pair. */
export const cutToChars = (text: string, chars: number): string => {
  if (text.length <= chars) return text
  const last = text.charCodeAt(chars - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars)
}

/** The longest end of a text of at most `chars` UTF-16 units that does not split a surrogate pair. */
export const lastChars = (text: string, chars: number): string => {
  if (text.length <= chars) return text
  const first = text.charCodeAt(text.length - chars)
  return text.slice(text.length - (first >= 0xdc00 && first <= 0xdfff ? chars - 1 : chars))
}
