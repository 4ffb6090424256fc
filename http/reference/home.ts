/**
 * The links at the root of a hub, as a page without a script and as JSON. Owns their text and style; loads nothing from
 * other hosts.
 */
import { escape, inPage, policyOf } from "./html.ts"

/** The links of a hub, by subject. */
export const links = {
  console: "/console",
  docs: "/docs",
  openapi: "/openapi.json",
  asyncapi: "/asyncapi.json",
  health: "/healthz",
  ready: "/readyz"
} as const

const words: Readonly<Record<keyof typeof links, readonly [title: string, says: string]>> = {
  console: ["Console", "daemons, sessions, webhooks and keys of an account, for its owner"],
  docs: ["Reference", "every call, what it takes and what it answers"],
  openapi: ["OpenAPI document", "the same for programs and code generators"],
  asyncapi: ["AsyncAPI document", "the daemon socket, the streams and the webhooks"],
  health: ["Health", "whether this process is alive"],
  ready: ["Readiness", "whether it serves, and what it waits for if not"]
}

const style = `
:root{color-scheme:light dark;--line:#8886;--soft:#555;--link:#1d4ed8}
@media(prefers-color-scheme:dark){:root{--soft:#bbb;--link:#93c5fd}}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;padding:3rem 1.25rem;max-width:36rem;box-sizing:border-box}
h1{font-size:1.5rem;margin:0 0 .25rem}
p{margin:0 0 1.5rem;color:var(--soft)}
ul{list-style:none;margin:0;padding:0;border-bottom:1px solid var(--line)}
li{border-top:1px solid var(--line);padding:.75rem 0}
a{color:var(--link);font-weight:600}
small{display:block;font-size:.9rem;color:var(--soft)}
`

/** The Content-Security-Policy of the page: this inline style, nothing else. */
export const homePolicy = policyOf(`style-src ${inPage(style)}`)

export const homePage = (title: string): string => {
  const items = Object.entries(words).map(
    ([name, [what, says]]) =>
      `<li><a href="${links[name as keyof typeof links]}">${what}</a><small>${says}</small></li>`
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escape(title)}</title><style>${style}</style></head><body>
<main><h1>${escape(title)}</h1><p>This is its API. Calls begin with <code>/api/v1/</code>.</p><ul>${items.join("")}</ul></main></body></html>`
}
