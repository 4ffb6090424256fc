/**
 * The request that a tool call stands for: path, query, header and body, from the tool's arguments. Owns the encoding;
 * the endpoint's own decoders judge the values.
 */
import { invalid, NotFound, ValidationFailed } from "../../src/errors.ts"
import { uriCharsMax } from "../../src/limits.ts"
import type { Endpoint } from "../pipeline/endpoint.ts"
import { filledPath, parameterNames } from "../pipeline/path-parameters.ts"
import { idempotencyArgument, preferArgument } from "./tool-schemas.ts"

/** The arguments of a tool call. */
export type Arguments = Readonly<Record<string, unknown>>

/** One request to an endpoint. */
export interface ToolRequest {
  readonly path: string
  readonly parameters: ReadonlyArray<string>
  readonly query: string
  readonly headers: ReadonlyArray<string>
  readonly idempotencyKey: string
  /** "" where the endpoint takes none. */
  readonly body: string
}

// half of a surrogate pair has no form in an address
const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === "string" ? value.isWellFormed() : typeof value === "number" || typeof value === "boolean"

/** `a=1&b=2`; undefined for a value that is no text. */
const queryPart = (name: string, value: unknown): string | undefined => {
  if (value === undefined || value === null) return ""
  const values = Array.isArray(value) ? value : [value]
  return values.every(isPlain) ? values.map((one) => `${name}=${encodeURIComponent(one)}`).join("&") : undefined
}

const headersOf = ({ headerNames }: Endpoint, given: Arguments): ReadonlyArray<string> | ValidationFailed => {
  const prefer = given[preferArgument] ?? ""
  if (typeof prefer !== "string") return invalid(preferArgument, "must be a text")
  return headerNames.map((name) => (name === preferArgument ? prefer : ""))
}

/** Makes it. `queryNames`: the arguments that belong to the query. */
export const toolRequest = (
  endpoint: Endpoint,
  queryNames: ReadonlyArray<string>,
  given: Arguments
): ToolRequest | ValidationFailed | NotFound => {
  const names = parameterNames(endpoint.path)
  for (const name of names) {
    if (given[name] === undefined) return invalid(name, "is missing")
    if (!isPlain(given[name])) return invalid(name, "must be a text")
  }
  const parameters = names.map((name) => encodeURIComponent(given[name] as string))
  const parts = queryNames.map((name) => queryPart(name, given[name]))
  const odd = parts.indexOf(undefined)
  if (odd >= 0) return invalid(queryNames[odd]!, "must be a text")
  const query = parts.filter((part) => part !== "").join("&")
  const path = filledPath(endpoint.path, parameters)
  if (path.length + query.length > uriCharsMax) return new NotFound()
  const headers = headersOf(endpoint, given)
  if (headers instanceof ValidationFailed) return headers
  const idempotencyKey = given[idempotencyArgument] ?? ""
  if (typeof idempotencyKey !== "string") return invalid(idempotencyArgument, "must be a text")
  const taken = new Set([...names, ...queryNames, preferArgument, idempotencyArgument])
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !taken.has(name)))
  return { path, parameters, query, headers, idempotencyKey, body: endpoint.takesBody ? JSON.stringify(rest) : "" }
}
