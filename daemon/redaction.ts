/**
 * Redacts secrets. Owns their names and shapes; sends nothing. The hub redacts again, but what never leaves the
 * computer cannot leak.
 */

const hidden = "[redacted]"
const secretName = /(token|secret|passw|api[-_]?key|authorization|cookie|credential|private[-_]?key)/iu
const secretTexts: ReadonlyArray<readonly [RegExp, string]> = [
  [/-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/gu, hidden],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gu, `$1 ${hidden}`],
  [/\b(?:sk|ghp|gho|github_pat|glpat|xox[abp]|hub|hubd|AKIA)[-_][\w-]{8,}/gu, hidden],
  [/((?:token|secret|passw(?:or)?d|api[-_]?key)["']?\s*[=:]\s*["']?)[^\s"'&]+/giu, `$1${hidden}`]
]
const depthMax = 8

const cleanText = (text: string): string =>
  secretTexts.reduce((cleaned, [shape, instead]) => cleaned.replace(shape, instead), text)

/** A value without what looks like a secret, by name or by shape. What lies deeper than the bound is left out. */
export const redacted = (value: unknown, depth = 0): unknown => {
  if (typeof value === "string") return cleanText(value)
  if (typeof value !== "object" || value === null) return value
  if (depth >= depthMax) return "[deeper]"
  if (Array.isArray(value)) {
    // `--token abc` as two arguments: the name is in the one before.
    return value.map((one, at) =>
      typeof value[at - 1] === "string" && /^--?[\w-]+$/u.test(value[at - 1]) && secretName.test(value[at - 1])
        ? hidden
        : redacted(one, depth + 1)
    )
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, secretName.test(name) ? hidden : redacted(one, depth + 1)])
  )
}
