/**
 * The guides of docs/ as pages. Owns which of them are served, the ids of their headings and where their links lead;
 * the files have the words.
 */
import { readFileSync } from "node:fs"
import { Marked, type MarkedExtension, type Tokens } from "marked"
import { escape } from "./html.ts"

/** The guides, by the name of their file: for callers first, then for who runs a hub. */
export const guideNames = [
  "webhooks",
  "sessions",
  "sessions-and-turns",
  "approvals",
  "jobs",
  "fleets",
  "people",
  "idempotency",
  "mcp",
  "oauth",
  "turn",
  "registry",
  "integrator-cli",
  "console",
  "request-log",
  "audit",
  "daemon",
  "daemon-protocol",
  "deploying",
  "operating",
  "administration",
  "edge",
  "metrics",
  "tracing",
  "doctor",
  "threat-model",
  "capacity"
] as const

export type GuideName = (typeof guideNames)[number]

export interface Guide {
  readonly name: GuideName
  readonly title: string
  readonly html: string
  readonly sections: ReadonlyArray<GuideSection>
}

/** A heading and what stands under it, for the search. */
export interface GuideSection {
  /** Where it is: `/docs/webhooks#retries`. */
  readonly at: string
  readonly title: string
  /** Its words, each once, in lower case. */
  readonly words: string
}

/** The id of a heading, as on other sites that show Markdown. */
const headingId = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

const isServed = (name: string): name is GuideName => (guideNames as ReadonlyArray<string>).includes(name)

/** Where a link of a guide leads on this hub; undefined: to a file that is not served. */
const target = (href: string): string | undefined => {
  if (/^(?:https?:|#)/u.test(href)) return href
  const [, name = "", anchor = ""] = /^([\w-]+)\.md(#.*)?$/u.exec(href) ?? []
  return isServed(name) ? `/docs/${name}${anchor}` : undefined
}

const extension: MarkedExtension = {
  renderer: {
    heading({ tokens, depth, text }: Tokens.Heading): string {
      const id = headingId(text.replaceAll("`", ""))
      return `<h${depth} id="${escape(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    link({ href, tokens }: Tokens.Link): string {
      const text = this.parser.parseInline(tokens)
      const to = target(href)
      return to === undefined ? text : `<a href="${escape(to)}">${text}</a>`
    },
    // no guide needs any, and the policy of the page loads nothing
    image: ({ text }: Tokens.Image): string => escape(text),
    html: ({ text }: Tokens.HTML | Tokens.Tag): string => escape(text)
  }
}

const marked = new Marked({ gfm: true, async: false }, extension)

const sectionDepthMax = 4

/** The words of a text, as the search compares them. */
export const wordsOf = (text: string): string =>
  [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_:./-]{2,}/gu) ?? [])].join(" ")

const sectionsOf = (name: GuideName, text: string): ReadonlyArray<GuideSection> => {
  const sections: Array<{ readonly title: string; text: string }> = []
  // by the parser: a comment in a sample begins as a heading does
  for (const token of marked.lexer(text)) {
    if (token.type === "heading" && token["depth"] <= sectionDepthMax)
      sections.push({ title: (token as Tokens.Heading).text.replaceAll("`", ""), text: "" })
    const section = sections.at(-1)
    if (section !== undefined) section.text += token.raw
  }
  return sections.map(({ title, text }) => ({ at: `/docs/${name}#${headingId(title)}`, title, words: wordsOf(text) }))
}

/** Its Markdown, as it stands in docs/. */
export const guideText = (name: GuideName): string =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8")

/** Reads and renders one. */
export const guideOf = (name: GuideName, text: string = guideText(name)): Guide => {
  const sections = sectionsOf(name, text)
  return { name, title: sections[0]?.title ?? name, html: marked.parse(text) as string, sections }
}
