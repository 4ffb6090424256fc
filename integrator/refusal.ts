/** What a command of the integrator is ended with when it cannot be done. Owns the sentences of failed calls. */
import { type Failure, isFailure, Refused, whyLost } from "../client/src/index.ts"
import { ArgumentError } from "../src/cli/arguments.ts"

/** The command is not done; the message is for the person who called it. `cause`: the failed call, where one failed. */
export class Refusal extends Error {
  override readonly name = "Refusal"
}

const issuesOf = (problem: unknown): string => {
  const { issues } = problem as { readonly issues?: ReadonlyArray<{ readonly path: string; readonly message: string }> }
  return issues === undefined ? "" : ` (${issues.map(({ path, message }) => `${path}: ${message}`).join("; ")})`
}

/** The sentence where no answer came. */
export const unreachable = (url: string, error: Error): string => `${whyLost(url, error)}; see that the hub runs there`

const sentenceOf = (url: string, failure: Failure): string => {
  if (!(failure instanceof Refused)) return unreachable(url, failure)
  const { status, problem, foreign } = failure
  if (problem === undefined) return String(foreign)
  const next = status === 401 ? "; log in again: hub login" : ""
  return `${status} ${problem.reason}: ${problem.error}${issuesOf(problem)}${next} (request ${problem.requestId})`
}

/** Turns a failed call into the sentence that ends the command. Anything but its failures is a defect and stays one. */
export const refusing = async <A>(url: string, call: PromiseLike<A>): Promise<A> => {
  try {
    return await call
  } catch (error) {
    // the client takes no such word
    if (error instanceof TypeError) throw new ArgumentError(error.message)
    throw isFailure(error) ? new Refusal(sentenceOf(url, error), { cause: error }) : error
  }
}
