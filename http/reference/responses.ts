/**
 * The responses of an operation: its successes with their headers, and its failures by status. Owns the shared failure
 * responses, one for each set of failures that operations have at a status.
 */
import { STATUS_CODES } from "node:http"
import type { Access } from "../api/access.ts"
import { type Answers, type HeaderName, headerTexts, successHeaders } from "../api/answers.ts"
import { problems, type Row, type Tag } from "../api/problems.ts"
import { choiceOf, type Json, nameOfRef, type Schemas } from "./json-schemas.ts"

const integers: ReadonlySet<string> = new Set(["Retry-After", "Retry-After-Ms"])
/** Headers that not every answer carries which may carry them. */
const sometimes: ReadonlySet<string> = new Set([
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Retry-After-Ms",
  "WWW-Authenticate",
  "Idempotency-Replayed",
  "Link",
  "Location",
  "Preference-Applied",
  "Set-Cookie"
])

/** The described headers, by name. */
export const headerComponents: Json = Object.fromEntries(
  Object.entries(headerTexts).map(([name, description]) => [
    name,
    {
      description,
      required: !sometimes.has(name),
      schema: integers.has(name) ? { type: "integer", minimum: 0 } : { type: "string" }
    }
  ])
)

const headersOf = (names: ReadonlyArray<HeaderName>): Json =>
  Object.fromEntries([...new Set(names)].map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** The headers of every answer of an operation. */
const commonHeaders = ({ limited }: Access): ReadonlyArray<HeaderName> =>
  limited === false ? ["X-Request-Id"] : ["X-Request-Id", "RateLimit", "RateLimit-Policy"]

/** Generated responses, by status. */
export type Responses = Readonly<Record<string, Response>>

interface Response extends Json {
  readonly description: string
  readonly content?: Readonly<Record<string, Json>>
}

const described = (status: number, given: Response, headers: ReadonlyArray<HeaderName>): Json => ({
  ...given,
  description: STATUS_CODES[status]!,
  headers: headersOf(headers)
})

/** What an operation has beside its endpoint's schemas. */
export interface Described {
  readonly access: Access
  readonly answers: Answers
  readonly keyed: boolean
}

const successes = (status: number, response: Response, { access, answers, keyed }: Described): Json => {
  const headers = [
    ...commonHeaders(access),
    ...successHeaders(answers),
    ...(answers.optionalHeaders ?? []),
    ...(keyed ? (["Idempotency-Replayed"] as const) : [])
  ]
  const whole = { [status]: described(status, response, headers) }
  const part = { [206]: described(206, response, [...headers, "Content-Range"]) }
  const unchanged = { [304]: described(304, { description: "" }, headers) }
  return { ...whole, ...(answers.ranges === true && part), ...(answers.conditional === true && unchanged) }
}

const tagOf = (schemaName: string): Tag => schemaName.replace(/Problem$/u, "") as Tag
const rowOf = (schemaName: string): Row => problems[tagOf(schemaName)]

const namesOf = ({ content }: Response): ReadonlyArray<string> => {
  const schema = content?.["application/json"]?.["schema"] as Json | undefined
  const choices = (schema?.["oneOf"] ?? schema?.["anyOf"] ?? [schema]) as ReadonlyArray<unknown>
  return choices.map(nameOfRef).filter((name) => name !== undefined)
}

/** The failure responses that operations share, by name. */
export class FailureResponses {
  readonly components: Record<string, Json> = {}
  readonly #schemas: Schemas
  readonly #examples: Json
  constructor(schemas: Schemas, examples: Json) {
    this.#schemas = schemas
    this.#examples = examples
  }

  /** Refers to the response for these problems, which it adds when it is new. */
  refTo(names: ReadonlyArray<string>, access: Access): Json {
    const sorted = [...names].sort()
    const suffix = access.limited === false ? "Unlimited" : ""
    const name = sorted.map(tagOf).join("Or") + suffix
    this.components[name] ??= this.#make(sorted, access)
    return { $ref: `#/components/responses/${name}` }
  }

  #make(names: ReadonlyArray<string>, access: Access): Json {
    const rows = names.map(rowOf)
    const own = rows.flatMap(({ headers = {}, optionalHeaders = {} }) => [
      ...Object.keys(headers),
      ...Object.keys(optionalHeaders)
    ]) as Array<HeaderName>
    const shown = names.filter((name) => this.#examples[tagOf(name)] !== undefined)
    const examples = Object.fromEntries(shown.map((name) => [tagOf(name), { value: this.#examples[tagOf(name)] }]))
    return {
      description: rows.map(({ reason, sentence }) => `\`${reason}\`: ${sentence}`).join("\n\n"),
      headers: headersOf([...commonHeaders(access), ...own]),
      content: { "application/json": { schema: choiceOf(names, this.#schemas), examples } }
    }
  }
}

/** The responses of an operation, by status. */
export const responsesOf = (given: Responses, about: Described, failures: FailureResponses): Json =>
  Object.fromEntries(
    Object.entries(given).flatMap(([status, response]) => {
      const names = namesOf(response)
      const isFailure = names.length > 0 && names.every((name) => name.endsWith("Problem") && tagOf(name) in problems)
      return isFailure
        ? [[status, failures.refTo(names, about.access)]]
        : Object.entries(successes(Number(status), response, about))
    })
  )
