/**
 * Binds an endpoint of the contract to its action: one request's parts are decoded, and the action is called with them.
 * The types of the contract end here: what the pipeline gets is the same for each endpoint. Runs nothing.
 */
import type { Effect, Schema } from "effect"
import type { Principal } from "../../src/domain/account/principal.ts"
import type { HubError } from "../../src/errors.ts"
import { bodyBytesMax } from "../../src/limits.ts"
import type { Access } from "../api/access.ts"
import type { Answers } from "../api/answers.ts"
import type { Action, DescribedEndpoint } from "./action.ts"
import { decodersOf } from "./decode.ts"
import { type Encoder, encoderOf, type FailureEncoder, failureEncoderOf } from "./encode.ts"
import { missingAt } from "./missing-resource.ts"
import type { RequestExchange } from "./request-exchange.ts"
import type { Body } from "./request-parts.ts"
import { warningOf } from "./unknown-members.ts"

/** Why no action was called. `closes`: the rest of the body was not read. */
export interface NotCalled {
  readonly failure: HubError
  readonly closes: boolean
}

/** One endpoint of the contract with everything a request to it needs. */
export interface Endpoint {
  /** `daemons.list` */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly access: Access
  readonly headerNames: ReadonlyArray<string>
  readonly takesBody: boolean
  readonly needsBody: boolean
  /** Decodes a request and calls the action with it. `body` undefined: the endpoint takes none. */
  readonly call: (
    exchange: RequestExchange,
    body: Body | undefined,
    principal: Principal,
    address: () => string
  ) => Effect.Effect<unknown, HubError> | NotCalled
  readonly encode: Encoder
  readonly encodeFailure: FailureEncoder
}

/** An endpoint and what handles a request to it. */
export interface Served {
  readonly endpoint: Endpoint
  readonly handle: (exchange: RequestExchange) => void
}

/** What the contract says of an endpoint beside its types. */
export interface Terms {
  readonly id: string
  readonly access: Access
  readonly answers: Answers
  readonly successes: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
  readonly errors: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
}

/** Binds an endpoint to its action. `checked`: answers that do not match the contract are defects. */
export const bind = <E extends DescribedEndpoint>(
  endpoint: E,
  action: Action<E>,
  { id, access, answers, successes, errors }: Terms,
  checked: boolean
): Endpoint => {
  const decoders = decodersOf<E>(endpoint, access.bodyBytes ?? bodyBytesMax)
  const { headerNames, takesBody } = decoders
  const needsBody = access.needsBody ?? decoders.needsBody
  const call: Endpoint["call"] = (exchange, body, principal, address) => {
    const { method, parameters, query: text, headers: values, requestId } = exchange
    const params = decoders.params(parameters)
    if ("failure" in params) return { failure: params.failure, closes: false }
    const query = decoders.query(text)
    if ("failure" in query) return { failure: query.failure, closes: false }
    const headers = decoders.headers(values)
    if ("failure" in headers) return { failure: headers.failure, closes: false }
    const payload = decoders.payload(body)
    if ("failure" in payload)
      return { failure: payload.failure, closes: body?.kind !== "whole" && body?.kind !== "no text" }
    if (query.unknown !== undefined || payload.unknown !== undefined)
      exchange.warnings = [...(query.unknown ?? []), ...(payload.unknown ?? [])].map(warningOf)
    return action({
      method,
      principal,
      requestId,
      address,
      params: params.value,
      query: query.value,
      headers: headers.value,
      payload: payload.value
    })
  }
  return {
    id,
    method: endpoint.method,
    path: endpoint.path,
    access,
    headerNames,
    takesBody,
    needsBody,
    call,
    encode: encoderOf(id, successes, answers, checked),
    encodeFailure: failureEncoderOf(id, errors, checked, missingAt(endpoint.path, access))
  }
}
