/** Text as HTML, and what a page may load. Owns escaping and the policy of every page; knows no page. */
import { hash } from "node:crypto"

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

/** The Content-Security-Policy of a page: it may what is named, is in no frame, and sends no form. */
export const policyOf = (...named: ReadonlyArray<string>): string =>
  ["default-src 'none'", ...named, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join("; ")

/** How a policy names a style or a script that stands in its page. */
export const inPage = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`
