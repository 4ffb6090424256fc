/**
 * Renders the reference as one HTML page, from the contract. Owns its text; page.css is its style, page.js what it does
 * in a browser: both are in the page, which loads nothing.
 */
import { readFileSync } from "node:fs"
import { problems, type Row } from "../api/problems.ts"
import type { Reference } from "./document.ts"
import { guideMenu, guideSection } from "./guides.ts"
import { guideNames } from "./guides-of-docs.ts"
import { escape, inPage, policyOf, words } from "./html.ts"
import type { Json } from "./json-schemas.ts"
import { needsOf, type Operation } from "./operations.ts"
import { languages, samplesOf } from "./samples.ts"
import { typeOf } from "./schema-text.ts"
import { contentOf, exampleOf, failuresOf, hangUps, parametersOf, saidOf, titleOf } from "./spec.ts"

const fileBeside = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8")
const style = fileBeside("page.css")
const script = fileBeside("page.js")

/** The Content-Security-Policy of the page: this style, this script, and calls to this hub. */
export const pagePolicy = policyOf(`style-src ${inPage(style)}`, `script-src ${inPage(script)}`, "connect-src 'self'")

/** A type with links to its named shapes. */
const shape = (schema: unknown): string =>
  `<pre>${escape(typeOf(schema)).replace(/\bshape:([A-Za-z0-9_]+)/gu, '<a href="#shape-$1">$1</a>')}</pre>`

const anchor = ({ spec }: Operation): string => String(spec["operationId"]).replace(/[^A-Za-z0-9_.-]/gu, "-")

const parameters = (spec: Json): string => {
  const line = ({ name, where, isRequired, text }: ReturnType<typeof parametersOf>[number]): string =>
    `<tr data-name="${escape(name)}" data-in="${escape(where)}" data-required="${isRequired}"><td><code>${escape(name)}</code></td>` +
    `<td>${escape(where)}${isRequired ? "" : ", optional"}</td><td>${words(text)}</td></tr>`
  const lines = parametersOf(spec).map(line)
  return lines.length === 0 ? "" : `<table><tr><th>Name</th><th>In</th><th>Meaning</th></tr>${lines.join("")}</table>`
}

const example = (holder: unknown): string => {
  const shown = exampleOf(holder)
  if (shown === undefined) return ""
  return `<details><summary>Example</summary><pre>${escape(JSON.stringify(shown, null, 2))}</pre></details>`
}

const failureLinks = (ref: string): string =>
  failuresOf(ref)
    .map((tag) => `<a href="#shape-${escape(tag)}Problem">${escape(tag)}</a>`)
    .join(", ")

const answers = (spec: Json): string =>
  Object.entries((spec["responses"] ?? {}) as Json)
    .filter(([status]) => /^\d{3}$/u.test(status))
    .map(([status, response]) => {
      const shared = (response as Json)["$ref"]
      if (typeof shared === "string") return `<p>${status} ${failureLinks(shared)}</p>`
      const schema = contentOf(response)
      return `<h4>${status}</h4>${schema === undefined ? "" : shape(schema)}${example(response)}`
    })
    .join("")

const bodyOf = (spec: Json): string => {
  const body = contentOf(spec["requestBody"])
  if (body === undefined) return ""
  const shown = exampleOf(spec["requestBody"])
  const text = shown === undefined ? "" : `<pre data-body>${escape(JSON.stringify(shown, null, 2))}</pre>`
  return `<h4>Body</h4>${shape(body)}${text}`
}

const samples = (one: Operation): string => {
  const shown = samplesOf(one)
  const choices = languages.map((name) => `<button type="button" data-choose="${name}">${name}</button>`)
  const texts = languages.map((name) => `<pre data-language="${name}"><code>${escape(shown[name])}</code></pre>`)
  return `<div class="bar" data-live hidden>${choices.join("")}</div>${texts.join("")}`
}

const article = (one: Operation): string => {
  const { spec, method, path } = one
  const [title, id] = [titleOf(one), anchor(one)]
  const searched = `${title} ${method} ${path} ${String(spec["operationId"])} ${saidOf(one)}`.toLowerCase()
  const [verb, said] = [method.toUpperCase(), saidOf(one)]
  return `<article id="${id}" data-method="${verb}" data-path="${escape(path)}" data-words="${escape(searched)}">
<h3>${escape(title)}<a class="here" href="#${id}" aria-label="Link to ${escape(title)}">#</a></h3>
<pre>${verb} ${escape(path)}</pre>
${said === "" ? "" : `<p>${words(said)}</p>`}<p class="needs">${escape([...needsOf(one.access), hangUps[one.access.onHangUp]].join(" · "))}</p>
${parameters(spec)}${bodyOf(spec)}${samples(one)}${answers(spec)}</article>`
}

const errors = (): string => {
  const line = (row: Row): string =>
    `<tr id="error-${row.reason}" data-words="${escape(`${row.status} ${row.reason} ${row.code ?? ""} ${row.sentence}`.toLowerCase())}"><td>${row.status}</td><td><code>${row.reason}</code></td><td><code>${row.code ?? ""}</code></td><td>${escape(row.sentence)}</td></tr>`
  const sorted = Object.values<Row>(problems).sort((a, b) => a.status - b.status)
  return `<section><h2 id="errors">Errors</h2><p>Every error is <code>{error, code?, reason, requestId, docs, …}</code>.</p>
<table><tr><th>Status</th><th>reason</th><th>code</th><th>error</th></tr>${sorted.map(line).join("")}</table></section>`
}

const shapes = (document: Json): string => {
  const schemas = ((document["components"] as Json)["schemas"] ?? {}) as Json
  const article = (name: string): string => {
    const searched = `${name} ${typeOf(schemas[name])}`.toLowerCase()
    return `<article id="shape-${escape(name)}" data-words="${escape(searched)}"><h3>${escape(name)}</h3>${shape(schemas[name])}</article>`
  }
  return `<section><h2 id="shapes">Shapes</h2>${Object.keys(schemas).sort().map(article).join("")}</section>`
}

const menu = (tags: ReadonlyArray<string>, of: (tag: string) => ReadonlyArray<Operation>): string =>
  tags
    .map((tag) => {
      const link = (one: Operation): string =>
        `<li><a href="#${anchor(one)}">${escape(titleOf(one))} <small>${one.method.toUpperCase()}</small></a></li>`
      const links = of(tag).map(link)
      return `<div data-group><strong>${escape(tag)}</strong><ul>${links.join("")}</ul></div>`
    })
    .join("")

const intro = `<p>Send <code>Authorization: Bearer …</code> with every call that needs a credential. The samples read the hub's address from
<code>HUB_URL</code>, an API key from <code>HUB_KEY</code> and the token of a dashboard session from <code>HUB_SESSION</code>.</p>
<div data-live hidden><label>Your credential, for "Try it": it stays in this tab and goes to this hub only
<input id="credential" type="password" autocomplete="off" spellcheck="false"></label></div>`

const finder = `<div data-live hidden><label>Search <input id="search" type="search" autocomplete="off" spellcheck="false"></label>
<p id="count" class="count" role="status"></p><ul id="found" aria-label="In the guides"></ul></div>`

const documents = [
  ["#errors", "Errors"],
  ["/docs/errors", "Errors, one by one"],
  ["/docs/events", "Events, with examples"],
  ["#shapes", "Shapes"],
  ["/docs.md", "As Markdown"],
  ["/llms.txt", "For language models"],
  ["/openapi.json", "OpenAPI document"],
  ["/asyncapi.json", "AsyncAPI document"]
] as const

export const pageOf = ({ document, operations }: Reference): string => {
  const tags = [...new Set(operations.map(({ tag }) => tag))]
  const of = (tag: string) => operations.filter((one) => one.tag === tag)
  const title = escape((document["info"] as { readonly title: string }).title)
  const guides = guideNames.map((name) => [`/docs/${name}`, `Guide: ${name.replaceAll("-", " ")}`] as const)
  const links = [...documents, ...guides].map(([to, text]) => `<a href="${to}">${text}</a>`)
  const sections = tags.map((tag) => `<section><h2>${escape(tag)}</h2>${of(tag).map(article).join("")}</section>`)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><link rel="alternate" type="text/markdown" href="/docs.md"><style>${style}</style></head><body>
<a class="skip" href="#content">To the content</a>
<nav aria-label="Calls">${finder}${guideMenu}${menu(tags, of)}${links.join("")}</nav>
<main id="content"><h1>${title}</h1>${intro}
${guideSection}${sections.join("")}${errors()}${shapes(document)}</main><script type="module">${script}</script></body></html>`
}
