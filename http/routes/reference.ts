/** The routes of the reference. It is generated from the contract once, at the first call. Owns its caching headers. */
import { hash } from "node:crypto"
import { Effect } from "effect"
import { Config } from "../../src/config.ts"
import { NotFound } from "../../src/errors.ts"
import { Api } from "../api/api.ts"
import type { Reference } from "../api/reference.ts"
import { prefersPage } from "../pipeline/accept.ts"
import type { Routes } from "../pipeline/action.ts"
import { isKnown } from "../pipeline/conditional.ts"
import { Answer, emptyAnswer, type Headers } from "../pipeline/response.ts"
import { asyncReferenceOf } from "../reference/asyncapi.ts"
import { referenceOf } from "../reference/document.ts"
import { guideNames, guideOf, guideText } from "../reference/guides-of-docs.ts"
import { homePage, homePolicy, links } from "../reference/home.ts"
import { llmsOf, markdownOf, operationMarkdownOf, pageNameOf } from "../reference/markdown.ts"
import { pageOf, pagePolicy } from "../reference/page.ts"
import { errorPage, eventPage, guidePage, readingPolicy, searchIndexOf } from "../reference/reading-pages.ts"

const jsonType = ["content-type", "application/json"] as const
const markdownType = ["content-type", "text/markdown; charset=utf-8"] as const
const varyAccept = ["vary", "Accept"] as const
const pageHeaders = (policy: string): Headers => [
  ["content-type", "text/html; charset=utf-8"],
  ["content-security-policy", policy],
  ["referrer-policy", "no-referrer"]
]

interface CachedDocument {
  readonly body: string
  readonly headers: Headers
  readonly etag: string
}

const documentOf = (body: string, headers: Headers): CachedDocument => {
  const etag = `"${hash("sha256", body, "hex").slice(0, 32)}"`
  return { body, etag, headers: [...headers, ["etag", etag], ["cache-control", "public, max-age=300"]] }
}

const serve = ({ body, etag, headers }: CachedDocument, ifNoneMatch: string | undefined): Answer =>
  isKnown(ifNoneMatch, etag) ? emptyAnswer(304, headers.slice(1)) : new Answer(200, headers, body)

/** The guides, errors and events as they are first asked for. */
const makeReadingPages = () => {
  const known = new Map<string, CachedDocument>()
  const html = (body: string): CachedDocument => documentOf(body, pageHeaders(readingPolicy))
  const makers: Readonly<Record<string, () => CachedDocument>> = {
    errors: () => html(errorPage()),
    events: () => html(eventPage()),
    "search.json": () => documentOf(JSON.stringify(searchIndexOf(guideNames.map((name) => guideOf(name)))), [jsonType]),
    ...Object.fromEntries(
      guideNames.flatMap((name) => [
        [name, () => html(guidePage(guideOf(name)))],
        // as the guide's own links name the others
        [`${name}.md`, () => documentOf(guideText(name), [markdownType])]
      ])
    )
  }
  return (page: string): CachedDocument | undefined => {
    if (!Object.hasOwn(makers, page)) return undefined
    const found = known.get(page) ?? makers[page]!()
    known.set(page, found)
    return found
  }
}

export const referenceRoutes = Effect.gen(function* () {
  const { publicUrl } = yield* Config
  const write = () => {
    const server = publicUrl ?? "/"
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
  const readingPage = makeReadingPages()
  let all: ReturnType<typeof write> | undefined
  const documents = Effect.sync(() => {
    all ??= write()
    return all
  })
  const page = ({ headers }: { readonly headers: { readonly "if-none-match"?: string } }) =>
    Effect.map(documents, ({ page }) => serve(page, headers["if-none-match"]))
  const routes: Routes<typeof Reference> = {
    home: ({ headers }) =>
      Effect.map(documents, ({ home, homePage }) =>
        serve(prefersPage(headers.accept ?? "") ? homePage : home, headers["if-none-match"])
      ),
    openapi: ({ headers }) => Effect.map(documents, ({ document }) => serve(document, headers["if-none-match"])),
    asyncapi: ({ headers }) =>
      Effect.map(documents, ({ asynchronous }) => serve(asynchronous, headers["if-none-match"])),
    page,
    index: page,
    markdown: ({ headers }) => Effect.map(documents, ({ markdown }) => serve(markdown, headers["if-none-match"])),
    operation: ({ params, headers }) =>
      Effect.flatMap(documents, ({ operations }) => {
        const found = readingPage(params.page) ?? operations.get(params.page)
        return found === undefined
          ? Effect.fail(new NotFound())
          : Effect.succeed(serve(found, headers["if-none-match"]))
      }),
    llms: ({ headers }) => Effect.map(documents, ({ llms }) => serve(llms, headers["if-none-match"]))
  }
  return routes
})
