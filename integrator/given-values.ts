/** Reads values that several commands of the integrator take: numbers, points in time, tags. Owns their sentences. */
import { ArgumentError } from "../src/cli/arguments.ts"
import { readTimePast, readTimeToCome } from "../src/cli/points-in-time.ts"

/** A whole number from 1 on, where one is given. */
export const givenNumber = (flag: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d+$/u.test(text) && value > 0 && Number.isSafeInteger(value)) return value
  throw new ArgumentError(`--${flag} must be a whole number above 0: ${text}`)
}

/** Epoch milliseconds of a date or a span from now on (`90d`), where one is given. */
export const givenTimeToCome = (flag: string, text: string | undefined): number | undefined =>
  text === undefined ? undefined : readTimeToCome(flag, text, Date.now())

/** Epoch milliseconds of a date or of a span until now (`2h`). */
export const givenTimePast = (flag: string, text: string): number => readTimePast(flag, text, Date.now())

/** The members of an object that are given. */
export const present = <A extends Readonly<Record<string, unknown>>>(members: A) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof A]?: Exclude<A[K], undefined>
  }

/** Words that may be listed with commas too. */
export const listed = (given: ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  (given ?? []).flatMap((one) => one.split(",")).filter((one) => one !== "")

/** Tags as they are written: `env=prod`, `gpu`, and `old-` for one that goes where `removes` allows it. */
export const givenTags = (words: ReadonlyArray<string>, removes: boolean): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf("=")
      if (at > 0) return [word.slice(0, at), word.slice(at + 1)]
      if (at < 0 && word.endsWith("-") && word.length > 1) {
        if (removes) return [word.slice(0, -1), null]
        throw new ArgumentError(`${word} removes a tag, which is not for here`)
      }
      if (at === 0) throw new ArgumentError(`${word} has no key: a tag is KEY=VALUE or KEY`)
      return [word, ""]
    })
  )
