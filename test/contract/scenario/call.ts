/**
 * One operation as a caller sees it: what it is given, its answer, its refusal. Imports nothing, as calls.ts.
 */

/** A refusal, as every error answer has it. */
export interface Problem {
  readonly error: string
  readonly reason: string
  readonly requestId: string
  readonly code?: string
  readonly retryAfter?: number
}

/** An answer: data when it succeeded, an error when it was refused. */
export interface Answered<A, E = Problem> {
  readonly status: number
  readonly headers: Headers
  readonly data?: A | undefined
  readonly error?: E | undefined
}

/** One operation. */
export type Call<Given, A, E = Problem> = (given: Given) => Promise<Answered<A, E>>
