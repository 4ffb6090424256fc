/** The pages beside the reference: the guides as they stand in docs/, every error, every event. */
import { describe, expect, it } from "vitest"
import { docsOf, problems, type Row } from "../../../http/api/problems.ts"
import { examples } from "../../../http/reference/examples.ts"
import { guideNames, guideOf } from "../../../http/reference/guides-of-docs.ts"
import { errorPage, eventPage, guidePage, searchIndexOf } from "../../../http/reference/reading-pages.ts"

const idsIn = (html: string): ReadonlySet<string> => new Set([...html.matchAll(/ id="([^"]+)"/gu)].map(([, id]) => id!))

it("the page of errors has the place to which the body of each error leads", () => {
  const ids = idsIn(errorPage())
  const missing = Object.values<Row>(problems).filter(({ reason }) => !ids.has(docsOf(reason).split("#")[1]!))
  expect(missing).toEqual([])
})

it("the page of events shows each event as a hub sent it", () => {
  const ids = idsIn(eventPage())
  expect(Object.keys(examples.events).filter((event) => !ids.has(event))).toEqual([])
})

describe("a guide", () => {
  const guides = guideNames.map((name) => guideOf(name))

  it("leads nowhere that this hub does not serve: each link of one guide to another finds its heading", () => {
    const headings = new Map(guides.map((guide) => [`/docs/${guide.name}`, idsIn(guide.html)]))
    const broken = guides.flatMap(({ name, html }) =>
      [...html.matchAll(/ href="(\/docs\/[^"#]*|)(?:#([^"]*))?"/gu)]
        .filter(([, page, id]) => id !== undefined && !headings.get(page || `/docs/${name}`)?.has(id!))
        .map(([link]) => `${name}: ${link}`)
    )
    expect(broken).toEqual([])
  })

  it("is found by its words, under the heading where they stand", () => {
    const found = searchIndexOf(guides).filter(({ words }) => words.includes("abortafterfailures"))
    expect(found.map(({ at }) => at.split("#")[0])).toContain("/docs/jobs")
  })

  it("has a section where it has a heading, and none where a sample has a comment", () => {
    const ids = new Set(guides.flatMap(({ name, html }) => [...idsIn(html)].map((id) => `/docs/${name}#${id}`)))
    for (const [page, html] of [
      ["errors", errorPage()],
      ["events", eventPage()]
    ] as const)
      for (const id of idsIn(html)) ids.add(`/docs/${page}#${id}`)
    expect(searchIndexOf(guides).filter(({ at }) => !ids.has(at))).toEqual([])
  })

  it("is found beside errors and events, by their names", () => {
    for (const [word, at] of [
      ["daemon_offline", "/docs/errors#daemon_offline"],
      ["job:completed", "/docs/events#job:completed"]
    ] as const)
      expect(searchIndexOf(guides).find(({ words }) => words.includes(word))?.at).toBe(at)
  })

  it("shows markup of its text as text, and loads nothing", () => {
    const { html } = guideOf(
      "jobs",
      "# A <b>\n<script>alert(1)</script>\n![x](https://elsewhere/x.png) [y](../src/z.ts)"
    )
    expect(html).not.toMatch(/<script|<img|<b>|z\.ts/u)
    expect(guidePage(guideOf("jobs"))).not.toMatch(/<script|<img/u)
  })
})
