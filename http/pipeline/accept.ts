/**
 * Who is shown a page, by what a caller's `Accept` prefers; and a refusal of one call too many (429) as a page, for
 * people who meet it in a browser. Owns that reading and that text.
 */
import { Answer } from "./response.ts"

/** The weight that an `Accept` gives to this very type; 0 where it does not name it. */
const weightOf = (accept: string, type: string): number => {
  const ranges = accept.split(",").map((range) => range.trim().toLowerCase())
  const named = ranges.find((range) => range.split(";", 1)[0]!.trim() === type)
  if (named === undefined) return 0
  return Number(/;\s*q=([\d.]+)/u.exec(named)?.[1] ?? 1)
}

/** Browsers accept HTML by name; programs accept JSON, anything, or send no `Accept`. */
export const prefersPage = (accept: string): boolean =>
  weightOf(accept, "text/html") > weightOf(accept, "application/json")

const pageOf = (seconds: string | undefined): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Too many requests</title></head><body><main><h1>Too many requests</h1>
<p>Too many requests came from your network in a short time. ${seconds === undefined ? "Try again later." : `Try again in ${seconds} seconds.`}</p></main></body></html>`

/** The answer, as a page where it is a 429 and its caller prefers one. */
export const shownTo = (accept: string, answer: Answer): Answer => {
  if (answer.status !== 429 || !prefersPage(accept)) return answer
  const headers = answer.headers.filter(([name]) => name !== "content-type")
  const seconds = headers.find(([name]) => name === "retry-after")?.[1]
  return new Answer(429, [["content-type", "text/html; charset=utf-8"], ...headers], pageOf(seconds))
}
