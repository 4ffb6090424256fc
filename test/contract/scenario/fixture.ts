/**
 * The world of the story: what exists in the hub before it begins, and its log. Owns these shapes and the reading of an
 * answer against what the story expects of it.
 */
import { until } from "../../support/until.ts"
import type { Answered, Calls, Given, OperationName, Problem } from "./calls.ts"

/** What exists before the story begins. */
export interface World {
  readonly url: string
  readonly owner: { readonly email: string; readonly password: string }
  /** Keys: with every scope but publishing; with `ide:read` alone; with publishing alone. */
  readonly keys: { readonly all: string; readonly reading: string; readonly publishing: string }
  /** Dashboard tokens: of a login of long ago, expired, of an account on the plan free, of an administrator. */
  readonly sessions: {
    readonly stale: string
    readonly expired: string
    readonly free: string
    readonly administrator: string
  }
  /**
   * Daemons: the real one; one that never came; one that an administrator sends away, and that stays away; one that
   * answers nothing and, told `hang up`, does; one that has agents of one type twice, of which `s1` waits for an
   * approval and has a log.
   */
  readonly daemons: {
    readonly real: string
    readonly offline: string
    readonly sentAway: string
    readonly silent: string
    readonly twice: string
  }
  /** A folder of the real daemon. */
  readonly folder: string
  /** Where webhooks arrive. */
  readonly receiver: string
  /** Signs a person in at the provider: `?location=…` gives `{address}`, where the browser is sent back to. */
  readonly browser: string
  /** A program that may ask to be let in, by its id. */
  readonly app: string
}

/** One call of the story. */
export interface Step {
  readonly operation: OperationName
  readonly status: number
  readonly reason?: string
  /** Names of the members given, by place: `query.limit`. */
  readonly given: ReadonlyArray<string>
}

/** Makes a caller with this credential, or with none. */
export type Connect = (bearer?: string) => Calls

const namesOf = (given: Given): ReadonlyArray<string> =>
  Object.entries(given).flatMap(([place, members]) =>
    typeof members === "object" && members !== null
      ? Object.keys(members).map((name) => `${place}.${name}`)
      : [`${place}.${place}`]
  )

/** The answer, or a failure that names the operation whose answer never came. */
const inTime = async <A>(operation: string, answer: Promise<A>): Promise<A> => {
  let isSettled = false
  const settle = (): void => {
    isSettled = true
  }
  answer.then(settle, settle)
  await until(`an answer of ${operation}`, () => isSettled)
  return answer
}

/** The same caller; each call is logged once it is answered. */
export const logged = (calls: Calls, log: Array<Step>): Calls =>
  new Proxy(calls, {
    get: (target, operation: OperationName) => async (given: Given) => {
      const answer = await inTime(operation, target[operation](given))
      const reason = answer.error?.reason
      log.push({ operation, status: answer.status, ...(reason !== undefined && { reason }), given: namesOf(given) })
      return answer
    }
  })

/** What an answer of this status gives. */
export const answered = async (call: Promise<Answered>, status = 200): Promise<Answered["data"]> => {
  const { data, error, status: actual } = await call
  if (actual !== status || data === undefined)
    throw new Error(`${status} with data is expected: ${actual} ${JSON.stringify(error)}`)
  return data
}

/** An answer of this status without content. */
export const empty = async (call: Promise<Answered>, status: number): Promise<Headers> => {
  const { headers, status: actual, error } = await call
  if (actual !== status) throw new Error(`${status} is expected: ${actual} ${JSON.stringify(error)}`)
  return headers
}

/** The refusal with this status and reason. */
export const refused = async (call: Promise<Answered>, status: number, reason: string): Promise<Problem> => {
  const { error, status: actual } = await call
  if (actual !== status || error?.reason !== reason)
    throw new Error(`${status} ${reason} is expected: ${actual} ${JSON.stringify(error)}`)
  return error
}

/** What the daemon did; a refusal of its is a failure of the story. */
export const done = async (call: Promise<Answered>): Promise<Answered["data"]> => {
  const data = await answered(call)
  if (data.success !== true) throw new Error(`the daemon refused: ${JSON.stringify(data)}`)
  return data
}
