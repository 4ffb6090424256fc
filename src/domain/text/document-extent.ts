/**
 * Judges a JSON document of another program whose size is bounded already: few bytes may hold many values, which take
 * long to parse and much memory. Owns that bound; parses nothing.
 */
import { documentValuesMax, jsonDepthMax } from "../../limits/edge.ts"
import { jsonExtent } from "./json-extent.ts"

/** Why such a document is not read; undefined: it may be. */
export const whyTooFull = (text: string): string | undefined => {
  const { depth, values } = jsonExtent(text, jsonDepthMax, documentValuesMax)
  if (values > documentValuesMax) return `holds more than ${documentValuesMax} values`
  return depth > jsonDepthMax ? `nests deeper than ${jsonDepthMax} levels` : undefined
}
