/**
 * Renders the reference as one HTML page without a script, from the contract. Owns its text and style; loads nothing
 * from other hosts.
 */
import { hash } from "node:crypto"
import { problems, type Row } from "../api/problems.ts"
import type { Reference } from "./document.ts"
import type { Json } from "./json-schemas.ts"
import { needsOf, type Operation } from "./operations.ts"
import { typeOf } from "./schema-text.ts"

const style = `
:root{color-scheme:light dark;--line:#8884;--soft:#8882;--link:#2563eb}
body{font:16px/1.5 system-ui,sans-serif;margin:0;display:grid;grid-template-columns:17rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;border-right:1px solid var(--line);box-sizing:border-box;font-size:.85rem}
nav ul{list-style:none;margin:0 0 1rem;padding:0}
main{padding:1rem 2rem 4rem;max-width:60rem}
a{color:var(--link);text-decoration:none}
h2{margin-top:3rem;text-transform:capitalize}
article{border-top:1px solid var(--line);padding:1rem 0}
pre,code{font:.85rem/1.5 ui-monospace,monospace}
pre{background:var(--soft);padding:.75rem;overflow:auto;border-radius:.4rem;white-space:pre-wrap}
table{border-collapse:collapse;width:100%;font-size:.9rem}
td,th{text-align:left;vertical-align:top;border-bottom:1px solid var(--line);padding:.3rem .8rem .3rem 0}
.needs{opacity:.75;font-size:.9rem}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border:0}}
`

/** The Content-Security-Policy of the page: this inline style, nothing else. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", style, "base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Escapes text for HTML. */
export const escape = (text: string): string => text.replace(/[&<>"']/gu, (char) => escapes[char]!)

const words = (text: string): string => escape(text).replace(/`([^`]*)`/gu, "<code>$1</code>")

/** A type with links to its named shapes. */
const shape = (schema: unknown): string =>
  `<pre>${escape(typeOf(schema)).replace(/\bshape:([A-Za-z0-9_]+)/gu, '<a href="#shape-$1">$1</a>')}</pre>`

const anchor = ({ spec }: Operation): string => String(spec["operationId"]).replace(/[^A-Za-z0-9_.-]/gu, "-")

const contentOf = (holder: unknown): unknown => {
  const content = (holder as { content?: Record<string, { schema?: unknown }> } | undefined)?.content
  return content === undefined ? undefined : Object.values(content)[0]?.schema
}

const parameters = (spec: Json): string => {
  const all = (spec["parameters"] ?? []) as ReadonlyArray<Json>
  if (all.length === 0) return ""
  const line = (one: Json): string => {
    const schema = (one["schema"] ?? {}) as Json
    const optional = one["required"] === true ? "" : ", optional"
    const text = words(String(one["description"] ?? schema["description"] ?? ""))
    return `<tr><td><code>${escape(String(one["name"]))}</code></td><td>${escape(String(one["in"]))}${optional}</td><td>${text}</td></tr>`
  }
  return `<table>${all.map(line).join("")}</table>`
}

const answers = (spec: Json): string =>
  Object.entries((spec["responses"] ?? {}) as Json)
    .filter(([status]) => /^\d{3}$/u.test(status))
    .map(([status, response]) => {
      const shared = (response as Json)["$ref"]
      if (typeof shared === "string") return `<h4>${status}</h4><p>${failuresOf(shared)}</p>`
      const schema = contentOf(response)
      return `<h4>${status}</h4>${schema === undefined ? "" : shape(schema)}`
    })
    .join("")

/** The reasons of a shared failure response, each with a link to its shape. */
const failuresOf = (ref: string): string =>
  ref
    .split("/")
    .at(-1)!
    .replace(/Unlimited$/u, "")
    .split("Or")
    .map((tag) => `<a href="#shape-${escape(tag)}Problem">${escape(tag)}</a>`)
    .join(", ")

const hangUp = {
  cancel: "A caller who hangs up ends the work",
  finish: "Runs to its end when the caller hangs up"
} as const

const article = (one: Operation): string => {
  const { spec } = one
  const body = contentOf(spec["requestBody"])
  const said = String(spec["description"] ?? "").split("\n\nNeeds:")[0]!
  return `<article id="${anchor(one)}"><h3>${escape(String(spec["summary"] ?? spec["operationId"]))}</h3>
<pre>${one.method.toUpperCase()} ${escape(one.path)}</pre>
<p>${said.startsWith("Needs:") ? "" : words(said)}</p><p class="needs">${escape([...needsOf(one.access), hangUp[one.access.onHangUp]].join(" · "))}</p>
${parameters(spec)}${body === undefined ? "" : `<h4>Body</h4>${shape(body)}`}${answers(spec)}</article>`
}

const errors = (): string => {
  const line = (row: Row): string =>
    `<tr><td>${row.status}</td><td><code>${row.reason}</code></td><td><code>${row.code ?? ""}</code></td><td>${escape(row.sentence)}</td></tr>`
  const sorted = Object.values<Row>(problems).sort((a, b) => a.status - b.status)
  return `<h2 id="errors">Errors</h2><p>Every error is <code>{error, code?, reason, requestId, …}</code>.</p>
<table><tr><th>Status</th><th>reason</th><th>code</th><th>error</th></tr>${sorted.map(line).join("")}</table>`
}

const shapes = (document: Json): string => {
  const schemas = ((document["components"] as Json)["schemas"] ?? {}) as Json
  return `<h2 id="shapes">Shapes</h2>${Object.keys(schemas)
    .sort()
    .map((name) => `<article id="shape-${escape(name)}"><h3>${escape(name)}</h3>${shape(schemas[name])}</article>`)
    .join("")}`
}

/** Renders the page. */
export const pageOf = ({ document, operations }: Reference): string => {
  const tags = [...new Set(operations.map(({ tag }) => tag))]
  const of = (tag: string) => operations.filter((one) => one.tag === tag)
  const { title } = document["info"] as { readonly title: string }
  const menu = tags
    .map((tag) => {
      const links = of(tag).map(
        (one) => `<li><a href="#${anchor(one)}">${escape(String(one.spec["summary"]))}</a></li>`
      )
      return `<strong>${escape(tag)}</strong><ul>${links.join("")}</ul>`
    })
    .join("")
  const sections = tags.map((tag) => `<section><h2>${escape(tag)}</h2>${of(tag).map(article).join("")}</section>`)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escape(title)}</title><style>${style}</style></head><body>
<nav>${menu}<a href="#errors">Errors</a><br><a href="#shapes">Shapes</a><br><a href="/openapi.json">OpenAPI document</a><br><a href="/asyncapi.json">AsyncAPI document</a></nav>
<main><h1>${escape(title)}</h1><p>Send <code>Authorization: Bearer …</code> with every call that needs a credential.</p>
${sections.join("")}${errors()}${shapes(document)}</main></body></html>`
}
