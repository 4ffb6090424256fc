/** How a call fails: refused by the hub, or without an answer. Owns the errors; decides nothing about retries. */
import { whyLost } from "./lost-connection.ts"
import type { OperationName, Problem, ProblemOf } from "./types.ts"

/** What of the call did not fit, where the hub says so. */
const issuesOf = (problem: Problem | undefined): string => {
  const issues = problem !== undefined && "issues" in problem ? problem.issues : undefined
  return issues === undefined ? "" : ` (${issues.map(({ path, message }) => `${path}: ${message}`).join("; ")})`
}

/** The hub, or a proxy before it, answered with an error. */
export class Refused extends Error {
  readonly _tag = "Refused"
  override readonly name = "Refused"
  readonly operation: OperationName
  readonly status: number
  /** The error's body, to be told apart by `reason`; undefined where a proxy answered in its own words. */
  readonly problem: Problem | undefined
  /** Seconds after which to try again, where the answer says so. */
  readonly retryAfter: number | undefined
  /** What another than the hub answered, as a sentence; undefined where the hub itself did. */
  readonly foreign: string | undefined

  constructor(
    operation: OperationName,
    status: number,
    problem: Problem | undefined,
    retryAfter: number | undefined,
    foreign: string
  ) {
    const said = problem && `${status} ${problem.reason} ${problem.error}${issuesOf(problem)}`
    super(`${operation}: ${said ?? foreign}`)
    this.operation = operation
    this.status = status
    this.problem = problem
    this.retryAfter = retryAfter
    this.foreign = problem === undefined ? foreign : undefined
  }

  /** Why; undefined where a proxy answered. */
  get reason(): Problem["reason"] | undefined {
    return this.problem?.reason
  }

  /** The id by which the operator of the hub finds this call. */
  get requestId(): string | undefined {
    return this.problem?.requestId
  }
}

/** No answer came: the hub was not reached, or the connection was lost. The action may have run. */
export class ConnectionFailed extends Error {
  readonly _tag = "ConnectionFailed"
  override readonly name = "ConnectionFailed"
  readonly operation: OperationName

  /** `url`: of the hub. */
  constructor(operation: OperationName, url: string, cause: unknown) {
    super(`${operation}: ${whyLost(url, cause)}`, { cause })
    this.operation = operation
  }
}

/** No answer came in time. The action may have run. */
export class TimedOut extends Error {
  readonly _tag = "TimedOut"
  override readonly name = "TimedOut"
  readonly operation: OperationName

  constructor(operation: OperationName, millis: number) {
    super(`${operation}: no answer within ${millis} ms`)
    this.operation = operation
  }
}

/** How a call fails. What a signal ends is rejected with the signal's reason instead. */
export type Failure = Refused | ConnectionFailed | TimedOut

/** Whether something that was thrown is a failed call. */
export const isFailure = (error: unknown): error is Failure =>
  error instanceof Refused || error instanceof ConnectionFailed || error instanceof TimedOut

/** The body with which an operation was refused, typed by what it may answer; undefined for anything else. */
export const problemOf = <N extends OperationName>(operation: N, error: unknown): ProblemOf<N> | undefined =>
  error instanceof Refused && error.operation === operation ? (error.problem as ProblemOf<N> | undefined) : undefined
