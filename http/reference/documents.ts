/**
 * Every document of the reference, as it is sent. Owns which there are and their caching headers;
 * http/routes/reference.ts says under which addresses. Making them takes half a second, which a thread does
 * (documents-thread.ts).
 */
import { hash } from "node:crypto"
import { Api } from "../api/api.ts"
import type { Headers } from "../pipeline/response.ts"
import { asyncReferenceOf } from "./asyncapi.ts"
import { referenceOf } from "./document.ts"
import { homePage, homePolicy, links } from "./home.ts"
import { llmsOf, markdownOf, operationMarkdownOf, pageNameOf } from "./markdown.ts"
import { pageOf, pagePolicy } from "./page.ts"

/** A body with the headers that it is always sent with. */
export interface CachedDocument {
  readonly body: string
  readonly headers: Headers
  readonly etag: string
}

const varyAccept = ["vary", "Accept"] as const
export const jsonType = ["content-type", "application/json"] as const
export const markdownType = ["content-type", "text/markdown; charset=utf-8"] as const

export const pageHeaders = (policy: string): Headers => [
  ["content-type", "text/html; charset=utf-8"],
  ["content-security-policy", policy],
  ["referrer-policy", "no-referrer"]
]

export const documentOf = (body: string, headers: Headers): CachedDocument => {
  const etag = `"${hash("sha256", body, "hex").slice(0, 32)}"`
  return { body, etag, headers: [...headers, ["etag", etag], ["cache-control", "public, max-age=300"]] }
}

/** What is made of the contract alone, for a hub at this address. */
export const makeDocuments = (server: string) => {
  const reference = referenceOf(Api, server)
  const { title } = reference.document["info"] as { readonly title: string }
  return {
    home: documentOf(JSON.stringify({ name: title, ...links }), [jsonType, varyAccept]),
    homePage: documentOf(homePage(title), [...pageHeaders(homePolicy), varyAccept]),
    document: documentOf(JSON.stringify(reference.document), [jsonType]),
    asynchronous: documentOf(JSON.stringify(asyncReferenceOf(reference, server)), [jsonType]),
    page: documentOf(pageOf(reference), pageHeaders(pagePolicy)),
    markdown: documentOf(markdownOf(reference), [markdownType]),
    llms: documentOf(llmsOf(reference), [["content-type", "text/plain; charset=utf-8"]]),
    operations: new Map(
      reference.operations.map((one) => [
        `${pageNameOf(one)}.md`,
        documentOf(operationMarkdownOf(reference, one), [markdownType])
      ])
    )
  }
}

/** What a thread makes once, and every later call is answered from. */
export type Documents = ReturnType<typeof makeDocuments>
