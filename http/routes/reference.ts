/** The routes of the reference. Owns when it is written (at the first call, once) and its caching; the words are the contract's. */
import { hash } from "node:crypto"
import { Effect } from "effect"
import { Config } from "../../src/config.ts"
import { Answer, bare, type Headers } from "../answer.ts"
import { Api } from "../api/api.ts"
import type { Reference } from "../api/reference.ts"
import { isKnown } from "../conditional.ts"
import { referenceOf } from "../reference/document.ts"
import { pageOf, pagePolicy } from "../reference/page.ts"
import type { Routes } from "./routes.ts"

interface Written {
  readonly body: string
  readonly headers: Headers
  readonly etag: string
}

const written = (body: string, headers: Headers): Written => {
  const etag = `"${hash("sha256", body, "hex").slice(0, 32)}"`
  return { body, etag, headers: [...headers, ["etag", etag], ["cache-control", "public, max-age=300"]] }
}

const serve = ({ body, etag, headers }: Written, ifNoneMatch: string | undefined): Answer =>
  isKnown(ifNoneMatch, etag) ? bare(304, headers.slice(1)) : new Answer(200, headers, body)

/** Builds the routes. */
export const referenceRoutes = Effect.gen(function* () {
  const { publicUrl } = yield* Config
  const write = () => {
    const reference = referenceOf(Api, publicUrl ?? "/")
    return {
      document: written(JSON.stringify(reference.document), [["content-type", "application/json"]]),
      page: written(pageOf(reference), [
        ["content-type", "text/html; charset=utf-8"],
        ["content-security-policy", pagePolicy],
        ["x-content-type-options", "nosniff"],
        ["referrer-policy", "no-referrer"]
      ])
    }
  }
  let both: ReturnType<typeof write> | undefined
  const known = Effect.sync(() => {
    both ??= write()
    return both
  })
  const routes: Routes<typeof Reference> = {
    openapi: ({ headers }) => Effect.map(known, ({ document }) => serve(document, headers["if-none-match"])),
    page: ({ headers }) => Effect.map(known, ({ page }) => serve(page, headers["if-none-match"]))
  }
  return routes
})
