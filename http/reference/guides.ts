/** The guides that the reference begins with: what every caller needs before the first call. Owns their text. */
import { escape, words } from "./html.ts"

interface Guide {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly sample?: string
}

const quickStart = `export HUB_URL=https://hub.example.com HUB_KEY=hub_…
curl "$HUB_URL/api/v1/daemons" -H "Authorization: Bearer $HUB_KEY"
curl "$HUB_URL/api/v1/daemons/$DAEMON/terminal" -H "Authorization: Bearer $HUB_KEY" \\
  -H "Content-Type: application/json" -d '{"command":"uname -a"}'`

const guides: ReadonlyArray<Guide> = [
  {
    id: "quick-start",
    title: "Quick start",
    text: "Make an API key in the console, list the daemons that are online, and run a command on one.",
    sample: quickStart
  },
  {
    id: "pagination",
    title: "Pages of lists",
    text: "Pagination: a list takes `limit`; where there is more, the answer has a `nextCursor`, which goes into `cursor` of the next call. The last page has none."
  },
  {
    id: "rate-limits",
    title: "Rate limits and quotas",
    text: "Each key and each address has a rate limit. `RateLimit` and `RateLimit-Policy` say what is left; one call too many is 429 with `Retry-After`. The calls of a month are counted for the account."
  },
  {
    id: "idempotency",
    title: "Retries",
    text: "With an `Idempotency-Key` a call runs once: sent again with the same key and body it gets the stored answer, marked `Idempotency-Replayed`."
  },
  {
    id: "events",
    title: "Events and webhooks",
    text: "`GET /api/v1/events` streams what happens; a webhook gets the same as signed requests. Verify `X-Service-Signature`, and deduplicate by `X-Service-Delivery`. Both resume: the stream by `Last-Event-ID`, a webhook by retries and `recover`."
  },
  {
    id: "long-commands",
    title: "Commands that take long",
    text: "With `Prefer: respond-async` a command is answered at once and its result is kept; a job runs one command on many daemons, with a pace, and `abortAfterFailures` as its brake."
  }
]

const guide = ({ id, title, text, sample }: Guide): string =>
  `<article id="${id}" data-words="${escape(`${title} ${text}`.toLowerCase())}"><h3>${title}</h3><p>${words(text)}</p>${
    sample === undefined ? "" : `<pre>${escape(sample)}</pre>`
  }</article>`

/** The section of the page. */
export const guideSection = `<section><h2>Guides</h2>${guides.map(guide).join("")}</section>`

/** Its entries in the menu. */
export const guideMenu = `<div data-group><strong>Guides</strong><ul>${guides
  .map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`)
  .join("")}</ul></div>`
