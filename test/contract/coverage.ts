/**
 * What the log of a story says of a document: which calls it leaves out, and which answers it does not declare. Pure.
 */
import { type OpenApiDocument, type Operation, operationsOf } from "./document-caller.ts"
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
