/**
 * Requests that know the contract: each is one of an operation, with what may be wrong in its path, query, headers,
 * credential and body. Owns their making; sends nothing.
 */
import { brokenText, mutated } from "../json-mutation.ts"
import type { Random } from "../random.ts"
import { valueOf } from "../schema-values.ts"
import { badText, badValue, jsonText } from "../values.ts"
import type { KnownValues } from "./known-values.ts"
import type { Contract, Operation, Parameter } from "./operations.ts"

/** One input. */
export interface RequestInput {
  readonly bytes: Buffer
  /** What a person is shown of it. */
  readonly says: string
  /** The operation it is sure to reach. */
  readonly operation?: Operation
  /** The operation it was made of. */
  readonly of: string
  readonly isHead: boolean
  /** Any number of answers may come, or none. */
  readonly isRaw: boolean
  /** Its answer may take long by what it asks for. */
  readonly waits: boolean
}

/** What inputs are made of. */
export interface Making {
  readonly contract: Contract
  readonly operations: ReadonlyArray<Operation>
  readonly known: KnownValues
  /** The server's name as clients say it. */
  readonly host: string
}

interface Draft {
  /** The request is sure to reach its operation. */
  sure: boolean
  readonly lines: Array<string>
}

const encoded = (value: unknown): string =>
  encodeURIComponent(String(typeof value === "object" ? JSON.stringify(value) : value).toWellFormed())

/** As it stands in a head: no line ends there, nor does a blank split a target. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
const inHead = (text: string): string => Buffer.from(text.replace(/[\0-\x1f\x7f]/gu, "")).toString("latin1")
const inTarget = (text: string): string => inHead(text.replace(/[\s?#]/gu, ""))

const badPiece = (random: Random): string => {
  const text = random.percent(80) ? badText(random) : jsonText(badValue(random))
  return random.percent(50) ? encoded(text) : inTarget(text)
}

const pathOf = ({ known }: Making, random: Random, operation: Operation, draft: Draft): string =>
  operation.path.replace(/\{(\w+)\}/gu, (_, name: string) => {
    if (random.percent(80)) return encoded(known.fitting(operation.id, name, random) ?? random.word(8))
    draft.sure = false
    return badPiece(random)
  })

const valueOfParameter = (making: Making, random: Random, operation: Operation, { name, schema }: Parameter): unknown =>
  valueOf(
    {
      random,
      resolve: making.contract.resolve,
      named: (member) => making.known.fitting(operation.id, member, random)
    },
    schema,
    name
  )

const queryOf = (making: Making, random: Random, operation: Operation, draft: Draft): string => {
  const pairs: Array<string> = []
  for (const parameter of operation.parameters.filter((one) => one.in === "query")) {
    if (parameter.required !== true && random.percent(50)) continue
    const value = random.percent(60)
      ? encoded(valueOfParameter(making, random, operation, parameter))
      : badPiece(random)
    pairs.push(`${parameter.name}=${value}`)
    if (random.percent(8)) pairs.push(`${parameter.name}=${badPiece(random)}`)
  }
  if (random.percent(6)) pairs.push(`${badPiece(random)}=${badPiece(random)}`)
  if (random.percent(2)) pairs.push(random.of(["&&&", "=", "%", "a[b]=1", "a[]=1", "+", "\xff\xfe"]))
  const text = pairs.join("&")
  // beyond 8,192 characters there is nothing (docs/edge.md)
  if (text.length > 8_000) draft.sure = false
  return text === "" ? "" : `?${text}`
}

const oddHeaders: ReadonlyArray<(random: Random) => string> = [
  (random) => `x-request-id: ${inHead(badText(random)).slice(0, 200)}`,
  (random) => `x-forwarded-for: ${random.of(["1.2.3.4", "::1", ",,,", "a, b", "1.2.3.4:80", "unknown"])}`,
  (random) => `traceparent: 00-${random.word(32)}-${random.word(16)}-01`,
  (random) => `tracestate: ${inHead(badText(random)).slice(0, 300)}`,
  (random) => `accept: ${random.of(["", "text/html", "*/*;q=0", "application/xml", "image/*, a/b;q=x"])}`,
  (random) => `origin: ${random.of(["null", "http://evil.example", "https://127.0.0.1", "%", "file://"])}`,
  (random) => `cookie: hub_sign_in=${inHead(badText(random)).slice(0, 300)}`,
  (random) => `accept-encoding: ${random.of(["gzip", "br;q=1", "identity;q=0", "*"])}`,
  (random) => `user-agent: ${inHead(badText(random)).slice(0, 1_000)}`,
  () => "x-http-method-override: DELETE",
  (random) => `${random.word(12).replace(/_/gu, "-")}: ${inHead(badText(random)).slice(0, 300)}`
]

const headersOf = (making: Making, random: Random, operation: Operation, draft: Draft): void => {
  for (const { name, in: where } of operation.parameters) {
    if (where !== "header" || random.percent(60)) continue
    const value = random.percent(70) ? making.known.fitting(operation.id, name, random) : badText(random)
    draft.lines.push(`${name}: ${inHead(String(value ?? "x")).slice(0, 1_000)}`)
  }
  while (random.percent(15)) draft.lines.push(random.of(oddHeaders)(random))
}

const credentialOf = ({ known }: Making, random: Random, operation: Operation): string | undefined => {
  const [group] = operation.id.split(".")
  const named = (name: string): string | undefined => known.get(name, random)
  if (random.percent(6)) return random.of([undefined, "hub_junk", "", inHead(badText(random)).slice(0, 500)])
  if (random.percent(3)) return random.of([named("otherKey"), named("daemonToken"), named("joinKey")])
  // what ends a session ends one that is made for that; whose webhooks are few, deliveries are few
  if (group === "auth") return named("spareSession")
  if (group === "webhooks") return named("webhookSession")
  if (operation.credentials.includes("joinKey")) return named("joinKey")
  if (operation.credentials.length === 0 && random.percent(80)) return undefined
  return operation.credentials.includes("apiKey") && random.percent(60) ? named("key") : named("session")
}

const valueOfBody = (making: Making, random: Random, operation: Operation): unknown => {
  const { schema, example } = operation.body!
  const named = (name: string): unknown => making.known.fitting(operation.id, name, random)
  if (random.percent(50)) return valueOf({ random, resolve: making.contract.resolve, named }, schema)
  if (typeof example !== "object" || example === null) return example
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, typeof value === "string" ? (named(name) ?? value) : value])
  )
}

const large = [65_537, 300_000, 1_048_577]

const bodyOf = (making: Making, random: Random, operation: Operation): Buffer => {
  const value = valueOfBody(making, random, operation)
  const kind = random.below(100)
  if (kind < 15) return Buffer.from(jsonText(value))
  if (kind < 78) return Buffer.from(jsonText(mutated(random, value)))
  if (kind < 94) return brokenText(random, value)
  if (kind < 97) return Buffer.alloc(0)
  if (random.percent(85)) return random.bytes(random.below(2_000))
  return Buffer.from(jsonText({ ...(value as object), padding: "x".repeat(random.of(large)) }))
}

const types = ["text/plain", "", "application/xml", "application/json; charset=utf-16", "multipart/form-data", "a"]

const chunked = (random: Random, body: Buffer): Buffer => {
  const pieces: Array<Buffer> = []
  for (let at = 0; at < body.length; ) {
    const size = random.between(1, Math.max(1, body.length))
    const piece = body.subarray(at, at + size)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"))
    at += piece.length
  }
  return Buffer.concat([...pieces, Buffer.from("0\r\n\r\n")])
}

/** The body as it goes out, with the lines of the head that go with it. */
const framed = (making: Making, random: Random, operation: Operation, draft: Draft): Buffer => {
  const takesBody = operation.body !== undefined
  if (!takesBody && random.percent(85)) {
    if (!["GET", "HEAD", "DELETE"].includes(operation.method)) draft.lines.push("content-length: 0")
    return Buffer.alloc(0)
  }
  const body = takesBody ? bodyOf(making, random, operation) : random.bytes(random.below(300))
  draft.lines.push(`content-type: ${random.percent(92) ? "application/json" : random.of(types)}`)
  if (random.percent(3)) draft.lines.push(`content-encoding: ${random.of(["gzip", "br", "identity", "x"])}`)
  if (random.percent(94) || !takesBody) {
    draft.lines.push(`content-length: ${body.length}`)
    // a body with GET may be read as the next request
    if (!takesBody) draft.sure = false
    return body
  }
  draft.lines.push("transfer-encoding: chunked")
  // the library ends what it reads as a wrong chunk
  draft.sure = false
  return chunked(random, body)
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PURGE"]

/** A request of one of the operations. */
export const requestInput = (making: Making, random: Random): RequestInput => {
  const operation = random.of(making.operations)
  const draft: Draft = { sure: true, lines: [`host: ${making.host}`] }
  const target = pathOf(making, random, operation, draft) + queryOf(making, random, operation, draft)
  const credential = credentialOf(making, random, operation)
  if (credential !== undefined) draft.lines.push(`authorization: Bearer ${credential}`)
  headersOf(making, random, operation, draft)
  const body = framed(making, random, operation, draft)
  const isOwnMethod = random.percent(97)
  const method = isOwnMethod ? operation.method : random.of(methods)
  const head = `${method} ${target} HTTP/1.1\r\n${draft.lines.join("\r\n")}\r\n\r\n`
  const isSure = draft.sure && isOwnMethod && head.length < 14_000
  return {
    bytes: Buffer.concat([Buffer.from(head, "latin1"), body]),
    says: `${operation.id}: ${method} ${target.slice(0, 200)}`,
    ...(isSure ? { operation } : {}),
    of: operation.id,
    isHead: method === "HEAD",
    // a body that its method does not have is the next request, or none
    isRaw: body.length > 0 && (!isOwnMethod || operation.body === undefined),
    waits: operation.parameters.some(({ name }) => name === "timeoutSeconds")
  }
}
