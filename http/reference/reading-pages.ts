/**
 * The pages beside the reference: the guides, every error, every event with an example. Owns their shell and policy;
 * without a script, and nothing is loaded.
 */
import { readFileSync } from "node:fs"
import { namedOnly, streamedOnly, testEvent } from "../../src/domain/event/events.ts"
import { docsOf, problems, type Row } from "../api/problems.ts"
import { examples } from "./examples.ts"
import { type Guide, type GuideSection, guideNames, wordsOf } from "./guides-of-docs.ts"
import { escape, inPage, policyOf, words } from "./html.ts"

const style = readFileSync(new URL("page.css", import.meta.url), "utf8")

/** The Content-Security-Policy of these pages: this style, nothing else. */
export const readingPolicy = policyOf(`style-src ${inPage(style)}`)

const link = (to: string, text: string): string => `<li><a href="${to}">${escape(text)}</a></li>`

const menu = [
  link("/docs", "Reference"),
  link("/docs/errors", "Errors"),
  link("/docs/events", "Events"),
  ...guideNames.map((name) => link(`/docs/${name}`, name.replaceAll("-", " ")))
].join("")

const shell = (title: string, content: string): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>${escape(title)}</title><style>${style}</style></head><body>
<a class="skip" href="#content">To the content</a><nav aria-label="Guides"><ul>${menu}</ul></nav><main id="content">${content}</main></body></html>`

/** The page of a guide. */
export const guidePage = ({ title, html }: Guide): string => shell(title, html)

const error = (row: Row): string => {
  const { reason, status, code, sentence, members } = row
  const names = Object.keys(members ?? {}).map((name) => `<code>${escape(name)}</code>`)
  const more = names.length === 0 ? "" : `<p>Its body also has ${names.join(", ")}.</p>`
  const coded = code === undefined ? "" : `, <code>code: ${escape(code)}</code>`
  return `<section id="${reason.toLowerCase()}"><h2>${escape(reason)}</h2><p>${status}${coded}</p><p>${words(sentence)}</p>${more}</section>`
}

/** Rows of one reason stand under one heading. */
const errorRows = (): ReadonlyArray<Row> => {
  const byReason = new Map<string, Row>()
  for (const row of Object.values<Row>(problems)) if (!byReason.has(row.reason)) byReason.set(row.reason, row)
  return [...byReason.values()].sort((a, b) => (a.reason < b.reason ? -1 : 1))
}

/** The page of all errors. */
export const errorPage = (): string =>
  shell(
    "Errors",
    `<h1>Errors</h1><p>Every error is <code>{error, code?, reason, requestId, docs, …}</code>; <code>docs</code> leads here.</p>${errorRows().map(error).join("")}`
  )

const whoGets = (event: string): string => {
  if (event === testEvent) return "Sent to the webhook that is tested, and to no other."
  if ((streamedOnly as ReadonlyArray<string>).includes(event)) return "In live streams only."
  return namedOnly.has(event)
    ? "For webhooks that name it; <code>*</code> does not receive it."
    : "For <code>*</code>, and where it is named."
}

/** The page of all events, each as a hub sent it. */
export const eventPage = (): string => {
  const sections = Object.entries(examples.events).map(
    ([event, example]) =>
      `<section id="${escape(event)}"><h2>${escape(event)}</h2><p>${whoGets(event)}</p><pre>${escape(JSON.stringify(example, null, 2))}</pre></section>`
  )
  return shell(
    "Events",
    `<h1>Events</h1><p>As webhooks get them; live streams carry the same payload.</p>${sections.join("")}`
  )
}

/** What the search of the reference finds in the guides, and which errors and events. */
export const searchIndexOf = (guides: ReadonlyArray<Guide>): ReadonlyArray<GuideSection> => [
  ...errorRows().map(({ reason, sentence }) => ({
    at: docsOf(reason),
    title: reason,
    words: wordsOf(`${reason} ${sentence}`)
  })),
  ...Object.keys(examples.events).map((event) => ({
    at: `/docs/events#${event}`,
    title: event,
    words: wordsOf(event)
  })),
  ...guides.flatMap(({ sections }) => sections)
]
