/**
 * How much is in a body: looked through once, for what it costs (body-cost.ts) and whether it holds too much
 * (decode.ts). Owns no bound, and parses nothing.
 */
import { type JsonExtent, jsonExtent } from "../../src/domain/text/json-extent.ts"
import { mayHaveHalves } from "../../src/domain/text/whole-characters.ts"
import { freeTextChars } from "../../src/limits/cost.ts"
import { bodyValuesMax, jsonDepthMax } from "../../src/limits.ts"
import type { WholeBody } from "./request-parts.ts"
import { memoize } from "./response.ts"

const measured = ({ text }: WholeBody): JsonExtent => {
  const extent = jsonExtent(text, jsonDepthMax, bodyValuesMax)
  return mayHaveHalves(text) ? { ...extent, repaired: text.length } : extent
}
const measuredOnce = memoize(measured)

/** Its extent, counted until one of its bounds is passed. */
export const bodyExtent = (body: WholeBody): JsonExtent =>
  // a short one is asked for once only
  body.text.length > freeTextChars ? measuredOnce(body) : measured(body)
