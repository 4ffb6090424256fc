/**
 * Calls the operations of a document as it describes them, without generated code. Owns the way from an operation's
 * name and what it is given to a request; checks nothing.
 */
import type { Answered, Calls, Given, OperationName, Problem } from "./scenario/calls.ts"

/** The parts of an OpenAPI document that are read here. */
export interface Operation {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string }>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> }
  readonly responses: Readonly<Record<string, unknown>>
}

/** An OpenAPI document. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** One operation and where it is. */
export interface Located {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

const methods: ReadonlySet<string> = new Set(["get", "put", "post", "patch", "delete", "head"])

/** Every operation of a document, by its name. */
export const operationsOf = (document: OpenApiDocument): ReadonlyMap<string, Located> =>
  new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => methods.has(method))
        .map(([method, operation]) => [operation.operationId, { method: method.toUpperCase(), path, operation }])
    )
  )

const addressOf = (path: string, given: Given): string => {
  const filled = path.replace(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(given.path?.[name] ?? ""))
  const query = Object.entries(given.query ?? {}).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)] as [string, string])
  )
  return query.length === 0 ? filled : `${filled}?${new URLSearchParams(query)}`
}

/** The first event of a stream of Server-Sent Events; leaves it then. */
const firstEvent = async (
  stream: ReadableStream<Uint8Array> | null
): Promise<{ readonly id?: string | undefined; readonly data: unknown }> => {
  const decoder = new TextDecoder()
  let text = ""
  for await (const bytes of stream ?? []) {
    text += decoder.decode(bytes, { stream: true })
    const block = text
      .split("\n\n")
      .slice(0, -1)
      .find((one) => /^data: /mu.test(one))
    if (block === undefined) continue
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "mu").exec(block)?.[1]
    return { id: field("id"), data: JSON.parse(field("data")!) }
  }
  throw new Error("the stream ended before an event came")
}

const contentOf = async (answer: Response): Promise<unknown> => {
  const type = answer.headers.get("content-type") ?? ""
  if (type.startsWith("text/event-stream")) return firstEvent(answer.body)
  if (type === "application/octet-stream") return answer.blob()
  const text = await answer.text()
  return type.startsWith("application/json") && text !== "" ? JSON.parse(text) : text
}

/** One request as it went, and what was answered. */
export interface Exchange {
  readonly operation: OperationName
  readonly given: Given
  readonly answer: Response
  readonly content: unknown
}

/** A caller of every operation at an address; `seen` is told of each answer. */
export const documentCaller = (
  document: OpenApiDocument,
  url: string,
  bearer: string | undefined,
  seen: (exchange: Exchange) => void = () => undefined
): Calls => {
  const operations = operationsOf(document)
  const call = async (name: OperationName, given: Given): Promise<Answered> => {
    const { method, path } = operations.get(name) ?? {}
    if (method === undefined || path === undefined) throw new Error(`the document has no operation ${name}`)
    const answer = await fetch(url + addressOf(path, given), {
      method,
      redirect: "manual",
      headers: {
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(given.cookie !== undefined && { cookie: given.cookie }),
        ...(given.body !== undefined && { "content-type": "application/json" }),
        ...given.header
      },
      ...(given.body !== undefined && { body: JSON.stringify(given.body) })
    })
    const { status, headers } = answer
    const content = await contentOf(answer)
    seen({ operation: name, given, answer, content })
    return answer.ok ? { status, headers, data: content } : { status, headers, error: content as Problem }
  }
  return new Proxy({} as Calls, { get: (_, name: OperationName) => (given: Given) => call(name, given) })
}
