/** The forms that clients send to the token endpoint. Owns which of their parameters may come twice. Pure. */

/** RFC 8707, 2. */
const repeatable: ReadonlySet<string> = new Set(["resource"])

/** A parameter that is given twice and must not be. In one pass: a form may have thousands of names. */
export const doubledIn = (form: URLSearchParams): string | undefined => {
  const seen = new Set<string>()
  for (const name of form.keys()) {
    if (seen.has(name) && !repeatable.has(name)) return name
    seen.add(name)
  }
  return undefined
}
