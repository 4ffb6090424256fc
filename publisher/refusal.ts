/** What a publisher is told when the hub does not do what was asked. Owns the sentences. */
import { isFailure, Refused, whyLost } from "../client/src/index.ts"

/** What cannot be packed, in words for the publisher. */
export class PackRefused extends Error {
  override readonly name = "PackRefused"
}

/** The hub refused, or could not be reached; the message is for the publisher. */
export class CallRefused extends Error {
  override readonly name = "CallRefused"
}

const sentenceOf = (url: string, error: unknown): string | undefined => {
  // the client takes no such address, type or version
  if (error instanceof TypeError) return error.message
  if (!isFailure(error)) return undefined
  if (!(error instanceof Refused))
    return error.cause instanceof SyntaxError ? `${url} does not answer like a hub` : whyLost(url, error)
  const { status, problem, foreign } = error
  if (problem === undefined) return foreign
  const issues = ("issues" in problem ? problem.issues : undefined) ?? []
  const each = issues.map(({ path, message }) => `${path}: ${message}`).join("; ")
  return [`${status} ${problem.reason}`, problem.error, each].filter((part) => part !== "").join(" · ")
}

/** Makes calls; turns a failed one into the sentence for the publisher, and leaves any other error as it is. */
export const refusing = async <A>(url: string, calls: () => Promise<A>): Promise<A> => {
  try {
    return await calls()
  } catch (error) {
    const sentence = sentenceOf(url, error)
    throw sentence === undefined ? error : new CallRefused(sentence, { cause: error })
  }
}
