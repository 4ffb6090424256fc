/** Conditional and range requests (RFC 9110 §13, §14). Parses these headers; sends nothing. */
import { RangeNotSatisfiable } from "../../src/errors.ts"

/** Whether `If-None-Match` names this ETag (weak comparison) or is `*`: the answer is then 304. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag) return true // the common case, cheaper than parsing a list
  if (ifNoneMatch.trim() === "*") return true
  return ifNoneMatch.split(",").some((one) => one.trim().replace(/^W\//u, "") === etag)
}

/** A byte range of a representation. */
export interface ByteRange {
  readonly from: number
  readonly length: number
}

const singleRange = /^bytes=(\d{0,15})-(\d{0,15})$/iu

/**
 * The requested range. Undefined when the whole is to be sent: no range, several, a malformed one, or an `If-Range`
 * with another ETag. RangeNotSatisfiable when it lies outside the content.
 */
export const rangeOf = (
  range: string | undefined,
  ifRange: string | undefined,
  etag: string,
  size: number
): ByteRange | RangeNotSatisfiable | undefined => {
  if (range === undefined || (ifRange !== undefined && ifRange.trim() !== etag)) return undefined
  const [, first, last] = singleRange.exec(range.trim()) ?? []
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? new RangeNotSatisfiable({ size }) : { from: size - length, length }
  }
  const from = Number(first)
  const to = last === "" ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== "" && Number(last) < from) return undefined
  return from >= size ? new RangeNotSatisfiable({ size }) : { from, length: to - from + 1 }
}
