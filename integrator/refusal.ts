/** What a command of the integrator is ended with when it cannot be done. Owns the sentences of failed calls. */
import { type Failure, isFailure, Refused } from "../client/src/index.ts"

const causesMax = 8

/** The command is not done; the message is for the person who called it. */
export class Refusal extends Error {
  override readonly name = "Refusal"
}

const issuesOf = (problem: unknown): string => {
  const { issues } = problem as { readonly issues?: ReadonlyArray<{ readonly path: string; readonly message: string }> }
  return issues === undefined ? "" : ` (${issues.map(({ path, message }) => `${path}: ${message}`).join("; ")})`
}

/** The innermost cause: a client wraps what `fetch` wraps. */
const causeOf = (error: Error): string => {
  let inner = error
  for (let depth = 0; depth < causesMax && inner.cause instanceof Error; depth++) inner = inner.cause
  return inner.message === "" ? inner.name : inner.message
}

/** The sentence where no answer came. */
export const unreachable = (url: string, error: Error): string =>
  `${url} cannot be reached: ${causeOf(error)}; see that the hub runs there`

const sentenceOf = (url: string, failure: Failure): string => {
  if (!(failure instanceof Refused)) return unreachable(url, failure)
  const { status, problem } = failure
  if (problem === undefined) return `${url} does not answer like a hub (${status})`
  const next = status === 401 ? "; log in again: hub login" : ""
  return `${status} ${problem.reason}: ${problem.error}${issuesOf(problem)}${next} (request ${problem.requestId})`
}

/** Turns a failed call into the sentence that ends the command; anything else is a defect and stays one. */
export const refusing = async <A>(url: string, call: PromiseLike<A>): Promise<A> => {
  try {
    return await call
  } catch (error) {
    throw isFailure(error) ? new Refusal(sentenceOf(url, error)) : error
  }
}
