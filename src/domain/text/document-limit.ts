/**
 * Judges a JSON document of another program whose size is bounded already: few bytes may hold many values, which take
 * long to parse and much memory. Owns that bound; parses nothing.
 */
import { documentValuesMax, jsonDepthMax } from "../../limits/edge.ts"
import { costOf } from "../limits/cost.ts"
import { jsonExtent } from "./json-extent.ts"

/** Why such a document is not read; undefined: it may be, and `charge` was told what that costs. */
export const whyTooFull = (text: string, charge: (cost: number) => void): string | undefined => {
  const extent = jsonExtent(text, jsonDepthMax, documentValuesMax)
  const { depth, values } = extent
  if (values > documentValuesMax) return `holds more than ${documentValuesMax} values`
  if (depth > jsonDepthMax) return `nests deeper than ${jsonDepthMax} levels`
  charge(costOf(text.length, extent))
  return undefined
}
