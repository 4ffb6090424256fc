/** Every operation of the OpenAPI document as the scenario calls it. Owns these shapes, not what each operation has. */
import type { operations } from "../../../client/src/generated/operations.ts"

/** A refusal, as every error answer has it. */
export interface Problem {
  readonly error: string
  readonly reason: string
  readonly requestId: string
  readonly code?: string
  readonly retryAfter?: number
}

/** What a call is given. */
export interface Given {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | ReadonlyArray<string>>>
  readonly header?: Readonly<Record<string, string>>
  readonly cookie?: string
  readonly body?: unknown
}

/** An answer: data when it succeeded, an error when it was refused. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the scenario reads bodies of every shape
  readonly data?: any
  readonly error?: Problem | undefined
}

/** The name of one: the client has all but those that a browser goes to, and HEAD. */
export type OperationName = keyof typeof operations | "auth.begin" | "auth.callback" | "registry.downloadHead"

/** A caller of all. */
export type Calls = Readonly<Record<OperationName, (given: Given) => Promise<Answered>>>
