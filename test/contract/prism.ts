/** Prism between a caller and a hub: it holds each request and each answer against the document. Owns its process. */
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { until } from "../support/until.ts"
import type { OpenApiDocument } from "./document-caller.ts"
import { fileOf, startNode } from "./outside-tools.ts"

/** One departure from the document, as Prism reports it in `sl-violations`. */
export interface Violation {
  readonly location: ReadonlyArray<string>
  readonly severity: string
  readonly code: string
  readonly message: string
}

/** What Prism found in an exchange. */
export const violationsOf = (answer: Response): ReadonlyArray<Violation> =>
  JSON.parse(answer.headers.get("sl-violations") ?? "[]") as ReadonlyArray<Violation>

/** A running proxy. */
export interface Proxy {
  readonly url: string
  /** The end of what it has said: why an answer is of its own. */
  readonly said: () => string
  readonly close: () => Promise<void>
}

const saidCharsMax = 10_000

/** Starts it in a folder. */
export const startPrism = async (folder: string, document: OpenApiDocument, upstream: string): Promise<Proxy> => {
  const file = join(folder, "openapi.json")
  writeFileSync(file, JSON.stringify(document))
  const args = ["proxy", file, upstream, "--port", "0", "--cors", "false"]
  const child = startNode(fileOf("prism"), args, folder)
  const ended = once(child, "close")
  let said = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8")
    stream.on("data", (text: string) => {
      said = (said + text).slice(-saidCharsMax)
    })
  }
  const url = await until("prism listens", () => {
    if (child.exitCode !== null) throw new Error(said)
    return /listening on (http:\/\/127\.0\.0\.1:\d+)/u.exec(said)?.[1]
  })
  return {
    url,
    said: () => said,
    close: async () => {
      child.kill("SIGKILL")
      await ended
    }
  }
}
