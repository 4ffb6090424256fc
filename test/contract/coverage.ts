/**
 * What the log of a story says of a document: which calls it leaves out, which answers it does not declare, and which
 * requests and answers have another shape than it declares. Pure.
 */
import { type Exchange, type OpenApiDocument, type Operation, operationsOf } from "./document-caller.ts"
import type { Step } from "./scenario/fixture.ts"

/** Operations of the document that the story never calls. */
export const uncalled = (document: OpenApiDocument, log: ReadonlyArray<Step>): ReadonlyArray<string> => {
  const called = new Set<string>(log.map(({ operation }) => operation))
  return [...operationsOf(document).keys()].filter((name) => !called.has(name))
}

const isDeclared = ({ responses }: Operation, status: number): boolean =>
  String(status) in responses || `${Math.floor(status / 100)}XX` in responses

/** Answers whose status the document does not declare for their operation. */
export const undeclared = (document: OpenApiDocument, log: ReadonlyArray<Step>): ReadonlyArray<string> => {
  const operations = operationsOf(document)
  const wrong = log.filter(({ operation, status }) => {
    const located = operations.get(operation)
    return located === undefined || !isDeclared(located.operation, status)
  })
  return [...new Set(wrong.map(({ operation, status, reason }) => `${operation} ${status} ${reason ?? ""}`.trim()))]
}

/** What stands in the document, where a reference to it stands. */
const resolved = <A>(document: OpenApiDocument, value: A): A => {
  const reference = (value as { readonly $ref?: string } | undefined)?.$ref
  return reference === undefined
    ? value
    : (reference
        .slice(2)
        .split("/")
        .reduce((at: unknown, name) => (at as Record<string, unknown>)[name], document) as A)
}

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>
}

const membersOf = (document: OpenApiDocument, { requestBody }: Operation): ReadonlyArray<string> => {
  const schema = resolved(document, requestBody)?.content["application/json"]?.schema
  return Object.keys((resolved(document, schema) as Schema | undefined)?.properties ?? {})
}

const parametersOf = (document: OpenApiDocument, { parameters = [] }: Operation): ReadonlyArray<string> =>
  parameters
    .map((parameter) => resolved(document, parameter))
    // a cookie is given as a whole
    .map((one) => (one.in === "cookie" ? "cookie.cookie" : `${one.in}.${one.name}`))

/** Parameters and members of bodies that the story never gives. Names of headers have no case. */
export const ungiven = (document: OpenApiDocument, log: ReadonlyArray<Step>): ReadonlyArray<string> => {
  const given = new Set(log.flatMap((step) => step.given.map((name) => `${step.operation} ${name}`.toLowerCase())))
  return [...operationsOf(document)].flatMap(([name, { operation }]) =>
    [...parametersOf(document, operation), ...membersOf(document, operation).map((member) => `body.${member}`)]
      .map((member) => `${name} ${member}`)
      .filter((member) => !given.has(member.toLowerCase()))
  )
}

type Place = ReadonlyArray<string>

/** What stands at a place of the document, and where that is: a reference on the way leads elsewhere. */
const foundAt = (document: OpenApiDocument, place: Place): { readonly place: Place; readonly value: unknown } => {
  let found: { readonly place: Place; readonly value: unknown } = { place: [], value: document }
  for (const name of place) {
    const value = (found.value as Readonly<Record<string, unknown>> | undefined)?.[name]
    const reference = (value as { readonly $ref?: string } | undefined)?.$ref
    found =
      reference === undefined
        ? { place: [...found.place, name], value }
        : foundAt(document, reference.slice(2).split("/").map(unescaped))
  }
  return found
}
/** Of a name in a pointer (RFC 6901). */
const unescaped = (name: string): string => name.replaceAll("~1", "/").replaceAll("~0", "~")

/** Requests of this kind of answer may have been meant to be wrong. */
const refused = [400, 401, 403, 413]

/** How an exchange differs from what the document declares; `check` holds a value against the schema at a place. */
export const misshapen = (
  document: OpenApiDocument,
  { operation, given, answer, content }: Exchange,
  check: (place: Place, value: unknown) => string | undefined
): ReadonlyArray<string> => {
  const { method, path } = operationsOf(document).get(operation)!
  const place = ["paths", path, method.toLowerCase()]
  const wrong = (what: string, within: Place, type: string, value: unknown): ReadonlyArray<string> => {
    const schema = foundAt(document, [...within, "content", type, "schema"])
    const said = schema.value === undefined ? `${type} is not declared` : check(schema.place, value)
    return said === undefined ? [] : [`${operation} ${answer.status} ${what}: ${said}`]
  }
  const { status, headers } = answer
  const responses = foundAt(document, [...place, "responses"]).value as Readonly<Record<string, unknown>>
  const response = [...place, "responses", `${status}` in responses ? `${status}` : `${Math.floor(status / 100)}XX`]
  const declared = (foundAt(document, [...response, "headers"]).value ?? {}) as Readonly<Record<string, unknown>>
  const lacking = Object.keys(declared)
    .filter((name) => (foundAt(document, [...response, "headers", name, "required"]).value as boolean) === true)
    .filter((name) => !headers.has(name))
  const isJson = headers.get("content-type")?.startsWith("application/json") === true && method !== "HEAD"
  return [
    ...lacking.map((name) => `${operation} ${status} lacks the header ${name}`),
    ...(isJson ? wrong("answer", response, "application/json", content) : []),
    ...(given.body === undefined || refused.includes(status)
      ? []
      : wrong("request", [...place, "requestBody"], "application/json", given.body))
  ]
}
