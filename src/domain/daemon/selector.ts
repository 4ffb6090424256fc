/**
 * Selectors: which daemons of a fleet are meant, by their tags: `env=prod,gpu,!spot,region!=eu`. All terms must hold.
 * Owns the grammar and the meaning. Pure; src/store/daemons/selector-condition.ts says the same in SQL.
 */
import { Result } from "effect"
import { ValidationFailed } from "../../errors.ts"
import { selectorCharsMax, selectorTermsMax } from "../../limits/tags.ts"
import { isTagKey, isTagValue, type Tagged, tagOf } from "./tags.ts"

/** One term. `different` holds also where there is no such tag. */
export interface Term {
  readonly key: string
  readonly is: "equal" | "different" | "there" | "missing"
  /** What the tag's value is compared with; empty where there is nothing to compare. */
  readonly value: string
}

/** All of these hold. */
export type Selector = ReadonlyArray<Term>

const splitTerm = (text: string): Term => {
  const compared = /^([^!=]*)(!?==?)(.*)$/u.exec(text)
  if (compared === null || compared[1] === "") {
    return text.startsWith("!")
      ? { key: text.slice(1).trim(), is: "missing", value: "" }
      : { key: text, is: "there", value: "" }
  }
  const [, key = "", sign = "", value = ""] = compared
  return { key: key.trim(), is: sign.startsWith("!") ? "different" : "equal", value: value.trim() }
}

const isTerm = ({ key, value }: Term): boolean => isTagKey(key) && isTagValue(value)

const wrong = (path: string, message: string): Result.Result<never, ValidationFailed> =>
  Result.fail(new ValidationFailed({ issues: [{ path, message }] }))

/** Reads a selector; of an empty one nothing is left to hold. `path`: where it stands in its request. */
export const readSelector = (text: string, path = "selector"): Result.Result<Selector, ValidationFailed> => {
  if (text.length > selectorCharsMax) return wrong(path, `must have at most ${selectorCharsMax} characters`)
  const parts = text.split(",").map((part) => part.trim())
  if (parts.length === 1 && parts[0] === "") return Result.succeed([])
  if (parts.length > selectorTermsMax) return wrong(path, `must have at most ${selectorTermsMax} terms`)
  const terms = parts.map(splitTerm)
  const at = terms.findIndex((term) => !isTerm(term))
  return at === -1
    ? Result.succeed(terms)
    : wrong(path, `term ${at + 1} is none of: key=value, key!=value, key, !key, as in env=prod,gpu,!spot`)
}

const textOf = ({ key, is, value }: Term): string => {
  if (is === "there") return key
  if (is === "missing") return `!${key}`
  return is === "equal" ? `${key}=${value}` : `${key}!=${value}`
}

/** The one way to write it. */
export const selectorText = (selector: Selector): string => selector.map(textOf).join(",")

/** The same of what is bound to one; null: an empty one, which binds to nothing. */
export const boundText = (selector: Selector): string | null => (selector.length === 0 ? null : selectorText(selector))

const holds = ({ key, is, value }: Term, tagged: Tagged): boolean => {
  const found = tagOf(tagged, key)
  switch (is) {
    case "equal":
      return found === value
    case "different":
      return found !== value
    case "there":
      return found !== undefined
    case "missing":
      return found === undefined
  }
}

/** Whether a daemon is meant. */
export const matches = (selector: Selector, tagged: Tagged): boolean => {
  for (const term of selector) if (!holds(term, tagged)) return false
  return true
}

const isSame = (one: Term, other: Term): boolean => textOf(one) === textOf(other)

/** Both hold, each term once. Undefined: nothing is asked of a daemon. */
export const bothOf = (one: Selector | undefined, other: Selector | undefined): Selector | undefined => {
  if (one === undefined || other === undefined) return one ?? other
  return [...one, ...other.filter((term) => !one.some((known) => isSame(known, term)))]
}
