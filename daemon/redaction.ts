/**
 * Redacts values. Owns what of a value is a name or a text; the shapes of secrets are the hub's, which redacts again:
 * what never leaves the computer cannot leak.
 */
import { mark, redactText } from "../src/domain/redaction/redaction.ts"
import { namesSecret } from "../src/domain/redaction/secret-shapes.ts"

const depthMax = 8

/** A value without what looks like a secret, by name or by shape. What lies deeper than the bound is left out. */
export const redacted = (value: unknown, depth = 0): unknown => {
  if (typeof value === "string") return redactText(value)
  if (typeof value !== "object" || value === null) return value
  if (depth >= depthMax) return "[deeper]"
  if (Array.isArray(value)) {
    // `--token abc` as two arguments: the name is in the one before.
    return value.map((one, at) =>
      typeof value[at - 1] === "string" && /^--?[\w-]+$/u.test(value[at - 1]) && namesSecret(value[at - 1])
        ? mark
        : redacted(one, depth + 1)
    )
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, namesSecret(name) ? mark : redacted(one, depth + 1)])
  )
}
