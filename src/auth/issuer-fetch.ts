/**
 * Asks another issuer: its metadata, key set, tokens, UserInfo. Owns how large and how full an answer may be, whatever
 * library reads it; judges nothing else.
 */
import { whyTooFull } from "../domain/text/document-limit.ts"
import { issuerAnswerBytesMax } from "../limits.ts"

/** An answer that is not read, since it is larger or fuller than any may be. */
export class IssuerAnswerTooLarge extends Error {}

/** `fetch`, whose answer is here as a whole and within the bounds. Throws IssuerAnswerTooLarge. */
export type IssuerFetch = (url: string, init: RequestInit) => Promise<Response>

/** Builds it. `charge`: told what reading an answer costs. */
export const makeIssuerFetch =
  (charge: (cost: number) => void): IssuerFetch =>
  async (url, init) => {
    const answer = await fetch(url, init)
    const pieces: Array<Uint8Array> = []
    let bytes = 0
    for await (const piece of answer.body ?? []) {
      bytes += piece.byteLength
      if (bytes > issuerAnswerBytesMax)
        throw new IssuerAnswerTooLarge(`an answer of ${url} has more than ${issuerAnswerBytesMax} bytes`)
      pieces.push(piece)
    }
    const text = Buffer.concat(pieces).toString()
    const why = whyTooFull(text, charge)
    if (why !== undefined) throw new IssuerAnswerTooLarge(`an answer of ${url} ${why}`)
    const { status, statusText, headers } = answer
    return new Response(text === "" ? null : text, { status, statusText, headers })
  }
