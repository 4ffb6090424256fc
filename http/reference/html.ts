/** Text as HTML. Owns escaping; knows no page. */

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Escapes text for HTML. */
export const escape = (text: string): string => text.replace(/[&<>"']/gu, (char) => escapes[char]!)

/** A sentence; what is between backticks is code. */
export const words = (text: string): string => escape(text).replace(/`([^`]*)`/gu, "<code>$1</code>")
