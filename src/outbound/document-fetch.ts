/**
 * Fetches a small JSON document of a stranger's: from public addresses alone, following no redirect, within its time
 * and bytes. Owns the way there; what it says, its reader judges.
 */
import { Context, Data, Effect } from "effect"
import type { Client } from "undici"
import { whyTooFull } from "../domain/text/document-limit.ts"
import { literalAddress } from "../domain/webhook/webhook-url.ts"
import { clientDocumentBytesMax, clientDocumentMillisMax } from "../limits/oauth.ts"
import { addressFilter } from "./address-filter.ts"
import { makeConnector } from "./connector.ts"
import { liveResolve, pinnedLookup, type Resolve } from "./resolve.ts"

/** It was not read. `says` ends "It …", for the person who wants it. */
class DocumentUnread extends Data.TaggedError("DocumentUnread")<{ readonly says: string }> {}

/** A document. `maxAgeSeconds`: how long it may be kept, as its server says. */
export interface FetchedDocument {
  readonly value: unknown
  readonly bytes: number
  readonly maxAgeSeconds: number | undefined
}

/** What tests choose differently: addresses that are not public, names, and who is trusted. */
export const DocumentReach = Context.Reference<{
  readonly allowCidrs: ReadonlyArray<string>
  readonly resolve?: Resolve
  readonly ca?: string
}>("hub/DocumentReach", { defaultValue: () => ({ allowCidrs: [] }) })

const unread = (says: string): DocumentUnread => new DocumentUnread({ says })
const jsonType = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/iu

const maxAgeOf = (cacheControl: unknown): number | undefined => {
  const text = String(cacheControl ?? "")
  if (/\bno-(?:store|cache)\b/iu.test(text)) return 0
  const [, seconds] = /(?:^|[\s,])max-age=(\d{1,9})/iu.exec(text) ?? []
  return seconds === undefined ? undefined : Number(seconds)
}

const read = async (
  client: Client,
  url: URL,
  charge: (cost: number) => void,
  signal: AbortSignal
): Promise<FetchedDocument> => {
  const headers = { accept: "application/json", "user-agent": "hub-oauth/1" }
  const answer = await client.request({ method: "GET", path: url.pathname + url.search, headers, signal })
  if (answer.statusCode >= 300 && answer.statusCode < 400) throw unread("leads elsewhere")
  if (answer.statusCode !== 200) throw unread(`is answered with ${answer.statusCode}`)
  if (!jsonType.test(String(answer.headers["content-type"] ?? ""))) throw unread("is no JSON")
  const pieces: Array<Buffer> = []
  let bytes = 0
  for await (const piece of answer.body) {
    bytes += (piece as Buffer).byteLength
    if (bytes > clientDocumentBytesMax) throw unread(`has more than ${clientDocumentBytesMax} bytes`)
    pieces.push(piece as Buffer)
  }
  const text = Buffer.concat(pieces).toString("utf8")
  const full = whyTooFull(text, charge)
  if (full !== undefined) throw unread(full)
  try {
    return { value: JSON.parse(text), bytes, maxAgeSeconds: maxAgeOf(answer.headers["cache-control"]) }
  } catch {
    throw unread("is no JSON")
  }
}

/** Builds the way to fetch one. `denyCidrs`: ranges that are never asked. `charge`: told what reading it costs. */
export const makeDocumentFetch = Effect.fnUntraced(function* (denyCidrs: ReadonlyArray<string>) {
  const { allowCidrs, resolve = liveResolve(), ca } = yield* DocumentReach
  const allowed = addressFilter(allowCidrs, denyCidrs)
  const connect = makeConnector({
    allowH2: false,
    lookup: pinnedLookup(resolve, allowed),
    timeout: clientDocumentMillisMax,
    ...(ca !== undefined && { ca })
  })
  return (address: string, charge: (cost: number) => void): Effect.Effect<FetchedDocument, DocumentUnread> => {
    const url = new URL(address)
    const literal = literalAddress(url.hostname)
    if (literal !== undefined && !allowed(literal)) return Effect.fail(unread("cannot be reached"))
    const fetched = Effect.acquireUseRelease(
      Effect.promise(async () => new (await import("undici")).Client(url.origin, { connect, pipelining: 1 })),
      (client) =>
        Effect.tryPromise({
          try: (signal) => read(client, url, charge, signal),
          // which of the reasons it was would tell what there is inside
          catch: (error) => (error instanceof DocumentUnread ? error : unread("cannot be reached"))
        }),
      (client) => Effect.promise(() => client.destroy())
    )
    return Effect.timeoutOrElse(fetched, {
      duration: clientDocumentMillisMax,
      orElse: () => Effect.fail(unread("takes too long"))
    })
  }
})
