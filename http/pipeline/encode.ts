/**
 * Encodes the result of an action as an answer: plain JSON with the contract's first status. Where answers are checked
 * (in tests), an answer or a failure that does not match the contract is a defect.
 */
import { Exit, Schema } from "effect"
import { type HubError, NotFound } from "../../src/errors.ts"
import { type Answers, successHeaders } from "../api/answers.ts"
import { FileBody } from "./file-body.ts"
import type { missingAt } from "./missing-resource.ts"
import { problem } from "./problem.ts"
import { Answer, json, Streaming } from "./response.ts"

type Successes = ReadonlyMap<number, ReadonlyArray<Schema.Top>>

const isVoid = (schema: Schema.Top): boolean => schema.ast._tag === "Void" || schema.ast._tag === "Undefined"

const matcherOf = (schemas: ReadonlyArray<Schema.Top>) => {
  const decode = schemas.map((schema) =>
    Schema.decodeUnknownExit(schema as Schema.Codec<unknown>, { onExcessProperty: "error", errors: "all" })
  )
  return (value: unknown): Exit.Exit<unknown, unknown> => {
    let last: Exit.Exit<unknown, unknown> = Exit.succeed(undefined)
    for (const one of decode) {
      last = one(value)
      if (Exit.isSuccess(last)) return last
    }
    return last
  }
}

/** What a checked answer of each status must match. */
const checksOf = (answersByStatus: Successes) =>
  new Map([...answersByStatus].map(([status, of]) => [status, matcherOf(of)]))

const jsonOf = ({ body }: Answer): unknown => JSON.parse(Buffer.from(body as string | Uint8Array).toString())

/** Throws when an answer carries a header that its contract does not name, or lacks one that it does. */
const checkHeaders = (endpoint: string, answers: Answers, { status, headers }: Answer): void => {
  const always = new Set(successHeaders(answers).map((name) => name.toLowerCase()))
  const some = new Set([
    "content-type",
    ...always,
    ...(answers.optionalHeaders ?? []).map((name) => name.toLowerCase()),
    ...(answers.ranges === true ? ["content-range"] : [])
  ])
  const sent = new Set(headers.map(([name]) => name.toLowerCase()))
  for (const name of sent)
    if (!some.has(name)) throw new Error(`${endpoint} answers with ${name}, which its contract lacks`)
  for (const name of always) if (!sent.has(name)) throw new Error(`${endpoint} answers ${status} without ${name}`)
}

/** Builds the encoder of an endpoint's successes. It throws when a checked answer does not match the contract. */
export const encoderOf = (endpoint: string, successes: Successes, answers: Answers, checked: boolean) => {
  const [status, schemas] = [...successes][0] ?? [204, []]
  const empty = status === 204 || schemas.every(isVoid)
  const checks = checked ? checksOf(successes) : undefined

  const check = (answer: Answer): void => {
    // a kept outcome may be a failure, which failureEncoderOf has checked, or a replay
    if (answer.status >= 400 && !successes.has(answer.status)) return
    const isReplay = answer.headers.some(([name]) => name === "idempotency-replayed")
    if (answer.status < 400 && !isReplay) checkHeaders(endpoint, answers, answer)
    if (answer.body === undefined || answer.body instanceof FileBody || answer.status >= 300) return
    if (!answer.headers.some(([name, value]) => name === "content-type" && value === "application/json")) return
    const examine = checks?.get(answer.status)
    const exit = examine === undefined ? undefined : examine(jsonOf(answer))
    if (exit === undefined) throw new Error(`${endpoint} answers ${answer.status}, which its contract does not name`)
    if (Exit.isFailure(exit)) throw new Error(`${endpoint} answers what its contract does not name: ${exit.cause}`)
  }

  return (value: unknown): Answer | Streaming => {
    if (value instanceof Streaming) return value
    const answer = value instanceof Answer ? value : empty ? new Answer(status, [], undefined) : json(status, value)
    if (checks !== undefined) check(answer)
    return answer
  }
}

/** The encoder of one endpoint's successes. */
export type Encoder = ReturnType<typeof encoderOf>

/**
 * Builds the encoder of an endpoint's failures. `missing` says what of its path is not there. It throws when a checked
 * endpoint does not declare a failure.
 */
export const failureEncoderOf = (
  endpoint: string,
  errors: Successes,
  checked: boolean,
  missing: ReturnType<typeof missingAt>
): FailureEncoder => {
  const encode: FailureEncoder = (failure, requestId, parameters) => {
    const what = failure._tag === "NotFound" && failure.what === undefined ? missing(parameters) : undefined
    return problem(what === undefined ? failure : new NotFound({ what }), requestId)
  }
  if (!checked || errors.size === 0) return encode
  const checks = checksOf(errors)
  return (failure, requestId, parameters) => {
    const answer = encode(failure, requestId, parameters)
    const exit = checks.get(answer.status)?.(jsonOf(answer))
    if (exit === undefined || Exit.isFailure(exit)) {
      throw new Error(`${endpoint} fails with ${failure._tag}, which its contract does not declare: ${exit?.cause}`)
    }
    return answer
  }
}

/** The encoder of one endpoint's failures; `parameters`: those of the path, as it has them. */
export type FailureEncoder = (failure: HubError, requestId: string, parameters: ReadonlyArray<string>) => Answer
