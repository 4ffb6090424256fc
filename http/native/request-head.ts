/**
 * Parses the parts of a head that every request may have: credential, `Accept`, request id, idempotency key, framing of
 * the body. framing.ts decides what follows from the framing.
 */
import { newId } from "../../src/domain/ids.ts"

/** The headers of a native request. Names are in lower case; of several lines `getHeader` returns the first. */
export interface HeadSource {
  readonly getHeader: (name: string) => string
  readonly forEach: (each: (name: string, value: string) => void) => void
}

/**
 * How a head frames the body: not at all, by its length, in chunks, or ambiguously, so that two parsers could disagree
 * (a repeated length, one that is not plain digits, a coding other than `chunked`, both headers).
 */
export type Framing = "none" | "length" | "chunks" | "unclear"

/** Two different credentials came, or a body that says that it is no plain JSON. */
export type Fault = "two credentials" | "no JSON"

/**
 * What its sender wants of the connection after the answer: that it is kept, or closed. The library closes it by itself
 * where the first `Connection` has the length of "close", and then says nothing of it in the answer.
 */
export type AfterAnswer = "kept" | "closed" | "closed by the library"

/** How the body is framed, and what of the head is odd. */
export interface Framed {
  readonly framing: Framing
  readonly fault: Fault | undefined
}

/** The parts that are read from every head; "" for an absent one. */
export interface Head extends Framed {
  readonly requestId: string
  readonly authorization: string
  readonly accept: string
  readonly idempotencyKey: string
  readonly afterAnswer: AfterAnswer
  /** Whether there is an `X-Forwarded-For`. */
  readonly isForwarded: boolean
  /** `traceparent`, and `tracestate` after a blank. */
  readonly trace: string
  /** The values of the headers that were wanted, in that order; of several lines the first that is not empty. */
  readonly wanted: ReadonlyArray<string>
}

const requestIdShape = /^[A-Za-z0-9_-]{8,64}$/u
/**
 * Stands for a present value that the library shows as empty: it trims blanks and all non-ASCII bytes at both ends.
 * Neither a credential nor a key can have this value.
 */
export const unreadable = " "

/** `curl -d` says that a body is a form, `fetch` that it is text. */
const mayBeJson = /^(?:[^;]*json|text\/plain|application\/x-www-form-urlencoded)?\s*(?:;|$)/iu

const lengthShape = /^\d{1,15}$/u

let requestId: string | undefined
let authorization: string | undefined
let accept: string | undefined
let idempotencyKey: string | undefined
let traceparent: string | undefined
let tracestate: string | undefined
let fault: Fault | undefined
let lengths = 0
let codings = 0
let hosts = 0
let isMalformed = false
let isEmpty = false
let isForwarded = false
let connection: string | undefined
let isClosedByLibrary = false
const none: ReadonlyArray<string> = []
let names = none
let values: Array<string> = []

const readLine = (name: string, value: string): void => {
  if (names.length > 0) {
    const at = names.indexOf(name)
    if (at >= 0 && values[at] === "") values[at] = value
  }
  switch (name) {
    case "host":
      hosts++
      return
    case "connection":
      if (connection === undefined) isClosedByLibrary = value.length === "close".length
      connection = connection === undefined ? value : `${connection},${value}`
      return
    case "authorization":
      if (authorization !== undefined && authorization !== (value || unreadable)) fault = "two credentials"
      authorization ??= value || unreadable
      return
    case "accept":
      accept ??= value
      return
    case "content-type":
      if (value !== "application/json" && !mayBeJson.test(value)) fault ??= "no JSON"
      return
    case "content-encoding":
      if (value !== "" && value.toLowerCase() !== "identity") fault ??= "no JSON"
      return
    case "content-length":
      lengths++
      if (!lengthShape.test(value)) isMalformed = true
      else if (Number(value) === 0) isEmpty = true
      return
    case "transfer-encoding":
      codings++
      if (value.toLowerCase() !== "chunked") isMalformed = true
      return
    case "x-forwarded-for":
      isForwarded = true
      return
    case "x-request-id":
      requestId ??= value
      return
    case "traceparent":
      traceparent ??= value
      return
    case "tracestate":
      tracestate = tracestate === undefined ? value : `${tracestate},${value}`
      return
    case "idempotency-key":
      idempotencyKey ??= value || unreadable
  }
}

const closeOption = /(?:^|,)\s*close\s*(?:,|$)/iu

const afterAnswerOf = (options: string | undefined): AfterAnswer => {
  if (options === undefined || options === "keep-alive") return "kept"
  if (isClosedByLibrary) return "closed by the library"
  return closeOption.test(options) ? "closed" : "kept"
}

/**
 * Reads a head in one pass over its lines, with the values of these further headers. `getHeader` returns the first of
 * several lines, and an empty line like an absent one, so it cannot detect a second line; and each call of it takes as
 * long as a line here (0.2 µs).
 */
export const readHead = (req: Pick<HeadSource, "forEach">, wanted: ReadonlyArray<string> = none): Head => {
  requestId = authorization = accept = idempotencyKey = traceparent = tracestate = connection = undefined
  fault = undefined
  lengths = codings = hosts = 0
  isMalformed = isEmpty = isForwarded = false
  names = wanted
  const found = wanted.length === 0 ? [] : wanted.map(() => "")
  values = found
  req.forEach(readLine)
  const unclear = isMalformed || lengths + codings > 1 || hosts > 1
  return {
    requestId: requestId ?? "",
    authorization: authorization ?? "",
    accept: accept ?? "",
    idempotencyKey: idempotencyKey ?? "",
    // what is not there is of no type
    fault: isEmpty && fault === "no JSON" ? undefined : fault,
    framing: unclear ? "unclear" : codings > 0 ? "chunks" : lengths > 0 ? "length" : "none",
    afterAnswer: afterAnswerOf(connection),
    isForwarded,
    wanted: found,
    trace: traceparent === undefined ? "" : tracestate === undefined ? traceparent : `${traceparent} ${tracestate}`
  }
}

/** The request's id: the caller's own where it is well formed, else a new one. */
export const idFrom = (given: string): string => (given !== "" && requestIdShape.test(given) ? given : newId("request"))

/** The id of a request whose other headers are not read. */
export const requestIdOf = (req: HeadSource): string => idFrom(req.getHeader("x-request-id"))

/**
 * The forwarded addresses, oldest first; "" only without such a header. Some proxies add a line of their own instead of
 * extending the caller's, which may be empty.
 */
export const forwardedOf = (req: HeadSource): string => {
  const lines: Array<string> = []
  req.forEach((name, value) => {
    if (name === "x-forwarded-for") lines.push(value)
  })
  return lines.length === 0 ? "" : lines.join() || ","
}

/** The first so many parameters of a path, as it has them. */
export const parametersOf = (
  req: { readonly getParameter: (at: number) => string | undefined },
  count: number
): ReadonlyArray<string> => {
  const parameters: Array<string> = []
  for (let at = 0; at < count; at++) parameters.push(req.getParameter(at) ?? "")
  return parameters
}
