/** The text of a body, for endpoints outside the contract, which decode it themselves. Decodes nothing. */
import { type HubError, invalid, Overloaded, PayloadTooLarge } from "../../src/errors.ts"
import { overloadRetrySeconds } from "../../src/limits.ts"
import type { Body } from "./request-parts.ts"

/** The text, or why there is none. `limit`: the bytes that the endpoint takes. */
export const wholeTextOf = (body: Body | undefined, limit: number): string | HubError => {
  switch (body?.kind) {
    case "whole":
      return body.text
    case "too large":
      return new PayloadTooLarge({ limit })
    case "no room":
      return new Overloaded({ retryAfter: overloadRetrySeconds })
    default:
      return invalid("", "The body cannot be read")
  }
}
