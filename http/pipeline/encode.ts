/**
 * Encodes the result of an action as an answer: plain JSON with the contract's first status. Where answers are checked
 * (in tests), an answer that does not match the contract is a defect.
 */
import { Exit, Schema } from "effect"
import { FileBody } from "../native/file-body.ts"
import { Answer, type Headers, headOf, Streaming } from "./response.ts"

type Successes = ReadonlyMap<number, ReadonlyArray<Schema.Top>>
const jsonHeaders: Headers = [["content-type", "application/json"]]
const jsonHead = headOf(jsonHeaders)

const isVoid = (schema: Schema.Top): boolean => schema.ast._tag === "Void" || schema.ast._tag === "Undefined"

const matcherOf = (schemas: ReadonlyArray<Schema.Top>) => {
  const decode = schemas.map((schema) =>
    Schema.decodeUnknownExit(schema as never, { onExcessProperty: "error", errors: "all" })
  )
  return (value: unknown): Exit.Exit<unknown, unknown> => {
    let last: Exit.Exit<unknown, unknown> = Exit.succeed(undefined)
    for (const one of decode) {
      last = one(value) as Exit.Exit<unknown, unknown>
      if (Exit.isSuccess(last)) return last
    }
    return last
  }
}

/** Builds the encoder of an endpoint's successes. It throws when a checked answer does not match the contract. */
export const encoderOf = (endpoint: string, successes: Successes, checked: boolean) => {
  const [status, schemas] = [...successes][0] ?? [204, []]
  const empty = status === 204 || schemas.every(isVoid)
  const checks = checked ? new Map([...successes].map(([code, of]) => [code, matcherOf(of)])) : undefined

  const check = (answer: Answer): void => {
    if (answer.body === undefined || answer.body instanceof FileBody || answer.status >= 300) return
    if (!answer.headers.some(([name, value]) => name === "content-type" && value === "application/json")) return
    const examine = checks?.get(answer.status)
    const exit = examine === undefined ? undefined : examine(JSON.parse(Buffer.from(answer.body).toString()))
    if (exit === undefined) throw new Error(`${endpoint} answers ${answer.status}, which its contract does not name`)
    if (Exit.isFailure(exit)) throw new Error(`${endpoint} answers what its contract does not name: ${exit.cause}`)
  }

  return (value: unknown): Answer | Streaming => {
    if (value instanceof Streaming) return value
    const answer =
      value instanceof Answer
        ? value
        : empty
          ? new Answer(status, [], undefined)
          : new Answer(status, jsonHeaders, JSON.stringify(value), jsonHead)
    if (checks !== undefined) check(answer)
    return answer
  }
}

/** The encoder of one endpoint's successes. */
export type Encoder = ReturnType<typeof encoderOf>
