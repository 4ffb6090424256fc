/** What a person can put right before a bench can measure: a program that is missing, a hub that does not answer. */

/** Its message is the whole sentence shown; exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** Why something thrown was thrown, in its innermost words. */
export const reasonOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown)
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return reasonOf(thrown.errors[0])
  return thrown.cause === undefined ? thrown.message : reasonOf(thrown.cause)
}
