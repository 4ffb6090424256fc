/** A refusal of one call too many (429) as a page, for people who meet it in a browser. Owns its text. */
import { prefersPage } from "./accept.ts"
import { Answer } from "./response.ts"

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
