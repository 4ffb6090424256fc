/**
 * The head of a request, as far as every request has one: who asks, under which id, and how its body is framed. Owns
 * the reading of it; what follows from the framing is framing.ts's.
 */
import { newId } from "../../src/domain/ids.ts"

/**
 * A request's native side, as far as its headers go. Names are in lower case; of several lines `getHeader` gives the
 * first.
 */
export interface HeadSource {
  readonly getHeader: (name: string) => string
  readonly forEach: (each: (name: string, value: string) => void) => void
}

/**
 * How a head frames the body: not at all, by its length, in chunks, or in a way that two readers could read differently
 * (a length given twice, or not as plain digits; a coding that is not just `chunked`; both).
 */
export type Framing = "none" | "length" | "chunks" | "unclear"

/** What is read of every head; "" of what is not there. */
export interface Head {
  readonly requestId: string
  readonly authorization: string
  readonly idempotencyKey: string
  readonly framing: Framing
}

const requestIdShape = /^[A-Za-z0-9_-]{8,64}$/u
/**
 * What is left of a value that is there and of which the library shows nothing: at both ends it cuts off blanks and all
 * bytes outside ASCII. Neither a credential nor a key has this shape.
 */
export const unreadable = " "

const lengthShape = /^\d{1,15}$/u

let requestId: string | undefined
let authorization: string | undefined
let idempotencyKey: string | undefined
let lengths = 0
let codings = 0
let hosts = 0
let odd = false

const look = (name: string, value: string): void => {
  switch (name) {
    case "host":
      hosts++
      return
    case "authorization":
      authorization ??= value || unreadable
      return
    case "content-length":
      lengths++
      if (!lengthShape.test(value)) odd = true
      return
    case "transfer-encoding":
      codings++
      if (value.toLowerCase() !== "chunked") odd = true
      return
    case "x-request-id":
      requestId ??= value
      return
    case "idempotency-key":
      idempotencyKey ??= value || unreadable
  }
}

/**
 * Reads a head in one walk over its lines: of several lines `getHeader` gives the first, and an empty one reads as
 * none, so no look at a name tells whether a second line hides behind it.
 */
export const readHead = (req: Pick<HeadSource, "forEach">): Head => {
  requestId = authorization = idempotencyKey = undefined
  lengths = codings = hosts = 0
  odd = false
  req.forEach(look)
  const unclear = odd || lengths + codings > 1 || hosts > 1
  return {
    requestId: requestId ?? "",
    authorization: authorization ?? "",
    idempotencyKey: idempotencyKey ?? "",
    framing: unclear ? "unclear" : codings > 0 ? "chunks" : lengths > 0 ? "length" : "none"
  }
}

/** The request's id: the caller's own where it has the shape, else a new one. */
export const idFrom = (given: string): string => (requestIdShape.test(given) ? given : newId("request"))

/** The id of a request of which nothing else is read. */
export const requestIdOf = (req: HeadSource): string => idFrom(req.getHeader("x-request-id"))

/**
 * The forwarded addresses, oldest first, "" only where there is no such header: some proxies add a line of their own
 * instead of lengthening the caller's, which may be empty.
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
