/**
 * The routes of the console's page; console-session.ts has those of its session. Owns when its files are read: at the
 * first call that finds them.
 */
import { Effect } from "effect"
import type { Console } from "../api/console.ts"
import type { Routes } from "../pipeline/action.ts"
import { isKnown } from "../pipeline/conditional.ts"
import { Answer, emptyAnswer } from "../pipeline/response.ts"
import { type ConsoleFiles, notBuilt, readConsoleFiles } from "../reference/console-files.ts"
import { consoleSessionRoutes } from "./console-session.ts"

/** Programs that accept no gzip are few; `q=0` names it to refuse it. */
const takesGzip = (acceptEncoding: string | undefined): boolean =>
  /(?:^|[\s,])gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/iu.test(acceptEncoding ?? "")

interface FileRequest {
  readonly headers: { readonly "if-none-match"?: string; readonly "accept-encoding"?: string }
}

/** Builds the routes; `read`: gives the files, or undefined where there are none yet. */
export const makeConsoleFiles = (
  read: () => ConsoleFiles | undefined
): Pick<Routes<typeof Console>, keyof ConsoleFiles> => {
  let files: ConsoleFiles | undefined
  const serve =
    (name: keyof ConsoleFiles) =>
    ({ headers }: FileRequest) =>
      Effect.sync(() => {
        files ??= read()
        if (files === undefined) return new Answer(503, [["content-type", "text/plain; charset=utf-8"]], notBuilt)
        const { plain, compressed } = files[name]
        const form = takesGzip(headers["accept-encoding"]) ? compressed : plain
        return isKnown(headers["if-none-match"], form.etag)
          ? emptyAnswer(304, form.headers.slice(1))
          : new Answer(200, form.headers, form.bytes)
      })
  return {
    page: serve("page"),
    script: serve("script"),
    style: serve("style"),
    manifest: serve("manifest"),
    pushWorker: serve("pushWorker")
  }
}

/** The routes of the console that was built beside this hub. */
export const consoleRoutes = Effect.map(
  consoleSessionRoutes,
  (session): Routes<typeof Console> => ({ ...makeConsoleFiles(readConsoleFiles), ...session })
)
