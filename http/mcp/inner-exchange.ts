/**
 * A call of an endpoint from inside the process: it goes through the endpoint's own handler, with guard, limits, quota
 * and idempotency, as a request over a socket does. Owns the one answer, and its end when the outer caller hangs up.
 */

import { traceText } from "../../src/tracing/trace-context.ts"
import type { Served } from "../pipeline/endpoint.ts"
import { noLimits } from "../pipeline/rate-limit-headers.ts"
import type { RequestExchange } from "../pipeline/request-exchange.ts"
import type { Body } from "../pipeline/request-parts.ts"
import { Answer } from "../pipeline/response.ts"
import type { ToolRequest } from "./tool-request.ts"

class InnerExchange implements RequestExchange {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly parameters: ReadonlyArray<string>
  readonly headers: ReadonlyArray<string>
  readonly idempotencyKey: string
  readonly requestId: string
  readonly authorization: string
  readonly accept = ""
  readonly ofAgent = true
  readonly shared: RequestExchange["shared"]
  readonly trace: string
  record: RequestExchange["record"]
  warnings: RequestExchange["warnings"]
  cancel: (() => void) | undefined
  isOver = false
  readonly #outer: RequestExchange
  readonly #body: string
  readonly #done: (answer: Answer) => void

  constructor(outer: RequestExchange, method: string, request: ToolRequest, done: (answer: Answer) => void) {
    this.#outer = outer
    this.#body = request.body
    this.#done = done
    this.method = method
    this.path = request.path
    this.query = request.query
    this.parameters = request.parameters
    this.headers = request.headers
    this.idempotencyKey = request.idempotencyKey
    this.requestId = outer.requestId
    const span = outer.record?.span
    this.trace = span === undefined ? outer.trace : traceText(span.context)
    this.authorization = outer.authorization
    this.shared = outer.shared
  }

  get client(): RequestExchange["client"] {
    return this.#outer.client
  }

  collect(bytesMax: number, done: (body: Body) => void): void {
    const fits = Buffer.byteLength(this.#body) <= bytesMax
    done(fits ? { kind: "whole", text: this.#body } : { kind: "too large" })
  }

  answer(answer: Answer): void {
    if (this.isOver) return
    this.record?.end(answer)
    this.isOver = true
    if (this.#outer.record !== undefined) this.#outer.record.rateLimits = this.record?.rateLimits ?? noLimits
    this.#done(answer)
  }

  stream(): undefined {
    throw new Error("a tool never streams")
  }

  /** The outer caller has hung up. */
  abort(): void {
    if (this.isOver) return
    this.isOver = true
    this.cancel?.()
    this.record?.end("left")
    this.#done(new Answer(499, [], undefined))
  }
}

/** What calls the endpoints for one outer request. */
export interface InnerCalls {
  /** Whether any endpoint was called, and so the caller charged. */
  readonly made: () => boolean
  readonly call: (served: Served, request: ToolRequest) => Promise<Answer>
  /** Ends the call in progress; later ones end at once. */
  readonly abort: () => void
}

export const innerCalls = (outer: RequestExchange): InnerCalls => {
  const open = new Set<InnerExchange>()
  let count = 0
  let isAborted = false
  return {
    made: () => count > 0,
    call: ({ endpoint, handle }, request) =>
      new Promise((resolve) => {
        const inner: InnerExchange = new InnerExchange(outer, endpoint.method, request, (answer) => {
          open.delete(inner)
          resolve(answer)
        })
        count++
        open.add(inner)
        if (isAborted) inner.abort()
        else handle(inner)
      }),
    abort: () => {
      isAborted = true
      for (const inner of [...open]) inner.abort()
    }
  }
}
