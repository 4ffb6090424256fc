/**
 * The head of a request, as far as every request has one: who asks, under which id, and how its body is framed. Owns the
 * check of the framing, and how little is read for it: each look into native memory costs.
 */
import { newId } from "../src/domain/ids.ts"

/** A request's native side, as far as its headers go. Names are in lower case; of several lines `getHeader` gives the first. */
export interface HeadSource {
  readonly getHeader: (name: string) => string
  readonly forEach: (each: (name: string, value: string) => void) => void
}

/** What is read of every head; "" of what is not there, or not asked for. */
export interface Head {
  readonly requestId: string
  readonly authorization: string
  readonly idempotencyKey: string
  /** A length given twice, or not as plain digits, could be read in two ways by two readers. */
  readonly ambiguous: boolean
}

const requestIdShape = /^[A-Za-z0-9_-]{8,64}$/u
/**
 * What is left of a value that is there and of which the library shows nothing: at both ends it cuts off blanks and all bytes
 * outside ASCII. Neither a credential nor a key has this shape.
 */
export const unreadable = " "

const lengthShape = /^\d{1,15}$/u

let requestId: string | undefined
let authorization: string | undefined
let idempotencyKey: string | undefined
let lengths = 0
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
      if (value.toLowerCase() !== "chunked") odd = true
      return
    case "x-request-id":
      requestId ??= value
      return
    case "idempotency-key":
      idempotencyKey ??= value || unreadable
  }
}

/** Of a request with a body: one walk over its lines tells all of it. */
const walked = (req: HeadSource): Head => {
  requestId = authorization = idempotencyKey = undefined
  lengths = hosts = 0
  odd = false
  req.forEach(look)
  return {
    requestId: requestId ?? "",
    authorization: authorization ?? "",
    idempotencyKey: idempotencyKey ?? "",
    ambiguous: odd || lengths > 1 || hosts > 1
  }
}

const isThere = (req: HeadSource, header: string): boolean => {
  let found = false
  req.forEach((name) => {
    if (name === header) found = true
  })
  return found
}

const valueOf = (req: HeadSource, name: string): string => req.getHeader(name) || (isThere(req, name) ? unreadable : "")

/**
 * Reads a head. `keyed`: the Idempotency-Key too. `named`: a credential is asked for. What carries no body is not walked: four
 * looks tell.
 */
export const readHead = (req: HeadSource, keyed: boolean, named = true): Head => {
  if (req.getHeader("content-length") !== "" || req.getHeader("transfer-encoding") !== "") return walked(req)
  return {
    requestId: req.getHeader("x-request-id"),
    authorization: named ? valueOf(req, "authorization") : "",
    idempotencyKey: keyed ? valueOf(req, "idempotency-key") : "",
    ambiguous: false
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
