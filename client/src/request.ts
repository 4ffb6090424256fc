/** Makes the request of an operation from its input: path, query, headers, body. Owns nothing that is sent. */
import { operations } from "./generated/operations.ts"
import type { CallOptions, OperationName } from "./types.ts"

/** How an operation is called. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly query?: ReadonlyArray<string>
  readonly body?: true
  /** Takes an `Idempotency-Key`. */
  readonly keyed?: true
  readonly answer: "json" | "text" | "bytes" | "stream"
}

/** The operation of a name. */
export const operationOf = (name: OperationName): Operation => operations[name]

/** What is sent. */
export interface Prepared {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
}

type Values = Readonly<Record<string, unknown>>

const segment = (name: string, value: unknown): string => {
  if (typeof value !== "string" || value === "") throw new TypeError(`${name} must be a text that is not empty`)
  // `.` and `..` would be resolved away and mean another path
  if (value === "." || value === "..") throw new TypeError(`${name} must not be ${value}`)
  // every target's id has colons, which a path may hold as they are
  return encodeURIComponent(value).replaceAll("%3A", ":")
}

const queryOf = (names: ReadonlyArray<string>, input: Values): string => {
  const query = new URLSearchParams()
  for (const name of names) {
    const value = input[name]
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one))
  }
  const text = query.toString()
  return text === "" ? "" : `?${text}`
}

/** A key that no other call has. Browsers have `crypto.randomUUID` only where the page came by https. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Makes the request. Throws a `TypeError` where a member of the path is missing. */
export const prepare = (
  base: string,
  { method, path, query = [], body, keyed, answer }: Operation,
  input: Values,
  options: CallOptions & { readonly respondAsync?: boolean }
): Prepared => {
  const inPath = new Set<string>()
  const filled = path.replace(/\{(\w+)\}/gu, (_, name: string) => {
    inPath.add(name)
    return segment(name, input[name])
  })
  const rest = Object.entries(input).filter(([name]) => !inPath.has(name) && !query.includes(name))
  const key = keyed === true && (options.idempotencyKey ?? randomKey())
  const headers: Record<string, string> = {
    accept: answer === "json" ? "application/json" : answer === "stream" ? "text/event-stream" : "*/*",
    ...(body === true ? { "content-type": "application/json" } : {}),
    ...(key === false ? {} : { "idempotency-key": key }),
    ...(options.respondAsync === true ? { prefer: "respond-async" } : {}),
    ...options.headers
  }
  const url = `${base}${filled}${queryOf(query, input)}`
  return body === true
    ? { url, method, headers, body: JSON.stringify(Object.fromEntries(rest)) }
    : { url, method, headers }
}
