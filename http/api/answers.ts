/**
 * What an endpoint's answers carry beside their bodies, as an annotation: `.annotateMerge(answers({…}))`. Owns the
 * terms and the table of headers. reference/ describes them; encode.ts checks answers against them where answers are
 * checked.
 */
import { Context } from "effect"

/** Every header that an answer may carry, in the spelling of the document. */
export const headerTexts = {
  "X-Request-Id": "Names this call in the hub's log. A caller's own is kept when it has 8 to 64 of `A-Za-z0-9_-`",
  RateLimit: 'What is left of each limit: `"key";r=119;t=60` (IETF draft). The binding one comes first',
  "RateLimit-Policy": 'Each limit of this call: `"key";q=120;w=60`. Policies: `key`, `ip`, `month`',
  "Retry-After": "Seconds after which a further call is worth it",
  "Retry-After-Ms": "The same in milliseconds, where many callers are each given a time of their own",
  "WWW-Authenticate": "What is wrong with the credential (RFC 6750, RFC 9470)",
  "Idempotency-Replayed": "`true`: the stored outcome of an earlier call with this Idempotency-Key",
  ETag: "Names this content; send it as If-None-Match, or with a change as If-Match where the operation takes it",
  "Cache-Control": "How long the answer may be kept",
  "Accept-Ranges": "`bytes`: ranges are served",
  "Content-Range": "Which bytes these are, and of how many",
  "Content-Disposition": "`attachment`, with the name to store it under",
  "Repr-Digest": "The SHA-256 of the whole content (RFC 9530)",
  Link: '`<…>; rel="next"`: the next page, where there is one',
  Location: "Where the browser goes next, or where the command and its result are",
  "Preference-Applied": "`respond-async`: the answer does not wait for the daemon's",
  "Set-Cookie": "The cookie of this sign-in; the callback removes it",
  "Content-Encoding": "`gzip`, where the caller accepts it",
  Vary: "The request headers that the answer depends on",
  Allow: "The methods of this path",
  Upgrade: "`websocket`",
  Connection: "`Upgrade`",
  "Sec-WebSocket-Version": "`13`",
  "Content-Security-Policy": "What a page may load: nothing but its own style",
  "Referrer-Policy": "`no-referrer`",
  "Cross-Origin-Opener-Policy": "`same-origin`: a page that opens it has no hold of it",
  "Service-Worker-Allowed": "The pages that a worker may have a part in",
  "X-Accel-Buffering": "`no`: a proxy must pass events on at once"
} as const

/** The name of a header. */
export type HeaderName = keyof typeof headerTexts

/** What the answers of an endpoint carry. */
export interface Answers {
  /** Headers of every success. */
  readonly headers?: ReadonlyArray<HeaderName>
  /** Headers of some successes. */
  readonly optionalHeaders?: ReadonlyArray<HeaderName>
  /** `ETag` and `Cache-Control` come with each success, and 304 answers an `If-None-Match` that names the content. */
  readonly conditional?: true
  /** `Range` is served: 206, and 416 outside the content. */
  readonly ranges?: true
  /** HEAD is described too. It is served wherever GET is. */
  readonly head?: true
}

export class AnswersOf extends Context.Service<AnswersOf, Answers>()("hub/AnswersOf") {}

export const answers = (given: Answers): Context.Context<AnswersOf> => Context.make(AnswersOf, given)

/** The headers that each success carries. */
export const successHeaders = ({ headers = [], conditional, ranges }: Answers): ReadonlyArray<HeaderName> => [
  ...headers,
  ...(conditional === true ? (["ETag", "Cache-Control"] as const) : []),
  ...(ranges === true ? (["Accept-Ranges"] as const) : [])
]
