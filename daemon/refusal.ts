/** A command that is answered with `success: false`. Owns the form of a refusal; the words are the refuser's. */

/** Thrown where a command cannot be done: a word for programs and a sentence for people. */
export class Refusal extends Error {
  readonly code: string
  constructor(code: string, sentence: string) {
    super(sentence)
    this.name = "Refusal"
    this.code = code
  }
}

/** The text of a payload's member; undefined when absent. A refusal when it is something else. */
export const textOf = (payload: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = payload[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== "string") throw new Refusal("invalid_payload", `\`${name}\` must be text`)
  return value
}

/** The same where it must be there. */
export const requiredText = (payload: Readonly<Record<string, unknown>>, name: string): string => {
  const value = textOf(payload, name)
  if (value === undefined || value.trim() === "") throw new Refusal("invalid_payload", `\`${name}\` is missing`)
  return value
}

/** What went wrong, in words. */
export const words = (error: unknown): string => (error instanceof Error ? error.message : String(error))
