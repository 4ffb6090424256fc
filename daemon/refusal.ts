/**
 * Refusals: a command that is answered with `success: false`, a file that cannot be used. Owns the form; the caller
 * supplies the words.
 */
import { readFileSync } from "node:fs"

/** Thrown where a command cannot be done: a word for programs and a sentence for people. */
export class Refusal extends Error {
  readonly code: string
  /** What came of it before it was given up. */
  readonly result: unknown
  constructor(code: string, sentence: string, result?: unknown) {
    super(sentence)
    this.name = "Refusal"
    this.code = code
    this.result = result
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

/** A file that was named cannot be used, and why: nothing is wrong with how the program was called. */
export class FileUnusable extends Error {
  override readonly name: string = "FileUnusable"
}

/** The text of a file that was named; FileUnusable when it cannot be read. */
export const textOfFile = (what: string, file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    // "ENOENT: no such file or directory, open '/nope'" without the code and the call
    const reason = words(error)
      .replace(/^[A-Z0-9]+: /u, "")
      .replace(/, \w+(?: '.*')?$/su, "")
    throw new FileUnusable(`${what} ${file} cannot be read: ${reason}`)
  }
}

/** What went wrong, in words. */
export const words = (error: unknown): string => (error instanceof Error ? error.message : String(error))
