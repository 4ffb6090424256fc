/**
 * The operations of the contract, as the hub's own OpenAPI document has them: what each takes, and every status and
 * reason that it declares. Owns the reading of the document; asks for nothing but it.
 */
import type { Schema } from "../schema-values.ts"

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header" | "cookie"
  readonly required?: boolean
  readonly schema: Schema
}

/** The reasons of a status; empty where the status is none of a failure. */
export type Declared = ReadonlyMap<number, ReadonlySet<string>>

/** An operation. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly body?: { readonly schema: Schema; readonly example: unknown }
  readonly declared: Declared
  /** The kinds of credentials that it takes; none: it needs no credential. */
  readonly credentials: ReadonlyArray<string>
}

/** What a document says. */
export interface Contract {
  readonly operations: ReadonlyArray<Operation>
  /** What any operation declares. */
  readonly anywhere: Declared
  readonly resolve: <A extends object>(given: A) => A
}

interface Content {
  readonly schema: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}
interface Answer {
  readonly content?: Readonly<Record<string, Content>>
}
interface Described {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, Answer>>
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

const json = "application/json"
const failed = 400

const reasonsOf = (answer: Answer): ReadonlySet<string> => {
  const content = answer.content?.[json]
  const examples = [content?.example, ...Object.values(content?.examples ?? {}).map(({ value }) => value)]
  const reasons = examples.map((example) => (example as { reason?: string } | undefined)?.reason)
  return new Set(reasons.filter((reason) => reason !== undefined))
}

const resolver =
  (document: unknown) =>
  <A extends object>(given: A): A => {
    const named = (given as { readonly $ref?: string }).$ref
    if (named === undefined) return given
    const path = named.split("/").slice(1)
    return path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document) as A
  }

const merged = (all: ReadonlyArray<Declared>): Declared => {
  const made = new Map<number, Set<string>>()
  for (const one of all)
    for (const [status, reasons] of one) {
      const known = made.get(status) ?? new Set()
      for (const reason of reasons) known.add(reason)
      made.set(status, known)
    }
  return made
}

/** Reads the document of a hub. */
export const readContract = async (url: string): Promise<Contract> => {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document
  const resolve = resolver(document)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): Operation => {
      const body = described.requestBody && resolve(described.requestBody).content[json]
      const declared = Object.entries(described.responses).map(([status, given]) => {
        const code = Number(status)
        return [code, code < failed ? new Set<string>() : reasonsOf(resolve(given))] as const
      })
      return {
        id: described.operationId,
        method: method.toUpperCase(),
        path,
        parameters: (described.parameters ?? []).map((one) => resolve(one)),
        ...(body === undefined ? {} : { body: { schema: body.schema, example: body.example } }),
        declared: new Map(declared),
        credentials: [...new Set((described.security ?? []).flatMap((one) => Object.keys(one)))]
      }
    })
  )
  return { operations, anywhere: merged(operations.map(({ declared }) => declared)), resolve }
}
