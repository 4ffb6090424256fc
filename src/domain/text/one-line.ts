/**
 * Texts of one line, such as the names that people give: terminals show them, and a database text cannot contain NUL.
 * Owns that form.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const form = /^[^\u0000-\u001F\u007F-\u009F]*$/u

/** A text without control characters. In ranges: not every tool that reads our documents knows \p{Cc}. */
export const oneLine = form
