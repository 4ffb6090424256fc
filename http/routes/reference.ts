/**
 * The routes of the reference. A thread generates it from the contract once, at the first call: here it would hold the
 * event loop for half a second.
 */
import { Effect } from "effect"
import { Config } from "../../src/config.ts"
import { NotFound } from "../../src/errors.ts"
import { madeOnce } from "../../src/runtime/worker/made-once.ts"
import type { Reference } from "../api/reference.ts"
import { prefersPage } from "../pipeline/accept.ts"
import type { Routes } from "../pipeline/action.ts"
import { isKnown } from "../pipeline/conditional.ts"
import { Answer, emptyAnswer } from "../pipeline/response.ts"
import {
  type CachedDocument,
  type Documents,
  documentOf,
  jsonType,
  markdownType,
  pageHeaders
} from "../reference/documents.ts"
import { guideNames, guideOf, guideText } from "../reference/guides-of-docs.ts"
import { errorPage, eventPage, guidePage, readingPolicy, searchIndexOf } from "../reference/reading-pages.ts"

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
  const readingPage = makeReadingPages()
  const thread = new URL("../reference/documents-thread.ts", import.meta.url)
  const documents = madeOnce<Documents>(thread, { server: publicUrl ?? "/" })
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
