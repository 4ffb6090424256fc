/** What went wrong, as the command line says it: one sentence. Owns the words, and that such a command gives 1. */
import { Cause, Effect } from "effect"
import { printError } from "./print.ts"

const shallow = (failure: unknown): string => {
  if (!(failure instanceof Error)) return String(failure)
  const { operation, sentence } = failure as { operation?: unknown; sentence?: unknown }
  if (typeof sentence === "string") return sentence
  if (typeof operation === "string") return `the store did not ${operation}`
  return failure.message === "" ? failure.name : failure.message
}

const causeOf = (failure: unknown): unknown =>
  typeof failure === "object" && failure !== null && "cause" in failure ? failure.cause : undefined

/** A failure and what lies under it; wrappers that add no words are left out. */
const words = (failure: unknown): string => {
  const said: Array<string> = []
  for (let one: unknown = failure, depth = 0; one !== undefined && depth < 5; one = causeOf(one), depth++) {
    const word = shallow(one)
    if (!said.some((before) => before.includes(word))) said.push(word)
  }
  return said.join(": ")
}

/** A failure as a sentence for a person at a terminal; a bug keeps its stack. */
export const sentence = (cause: Cause.Cause<unknown>): string => {
  const failed = cause.reasons.find(Cause.isFailReason)
  if (failed !== undefined) return words(failed.error)
  const defect = cause.reasons.find(Cause.isDieReason)?.defect
  // what a module refused when it was loaded
  return defect instanceof Error && "sentence" in defect ? shallow(defect) : Cause.pretty(cause)
}

/** Says it, and gives the exit code. */
export const sayFailure = (cause: Cause.Cause<unknown>): Effect.Effect<number> =>
  Effect.sync(() => {
    printError(`hub: ${sentence(cause)}`)
    return 1
  })
