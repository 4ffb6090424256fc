/** An answer that is not the hub's, in words: who gave it, or where it sends the caller. Owns the sentence. */

const wordsCharsMax = 200
const redirectsFrom = 300
const redirectsTo = 399

/** What is read of an answer. */
export interface AnswerHead {
  readonly status: number
  readonly header: (name: string) => string | null | undefined
}

/** Where a redirect of `base` + `path` leads, as another address of a hub; undefined: it leads nowhere. */
const elsewhere = (base: string, path: string, location: string): string | undefined => {
  if (!URL.canParse(location, base)) return undefined
  const { href } = new URL(location, base)
  return (href.endsWith(path) ? href.slice(0, -path.length) : href).slice(0, wordsCharsMax)
}

/** What answered instead of the hub: a sentence that begins with the hub's address, which is `base`. */
export const foreignAnswer = (base: string, path: string, { status, header }: AnswerHead): string => {
  const location = header("location")
  if (status >= redirectsFrom && status <= redirectsTo && typeof location === "string") {
    const address = elsewhere(base, path, location)
    if (address !== undefined) return `${base} answers ${status} to ${address}: use that address`
  }
  const kind = header("content-type")?.split(";")[0]?.trim()
  const by = [kind, header("server")].filter((one) => typeof one === "string" && one !== "").join(", ")
  const shown = by === "" ? "" : ` (${by.slice(0, wordsCharsMax)})`
  return `${base} answers ${status}${shown}, which does not come from a hub`
}
