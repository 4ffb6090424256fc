/**
 * One word of a shell line, with its quotes taken off. Owns quoting and what of a word is not known before it runs;
 * the lines inside it (`$(…)`, `` `…` ``, `<(…)`) are handed on. shell-line.ts owns what words make. Pure.
 */
import { unknownPart } from "./glob.ts"

/** Where a line is read: shared by all that read it. */
export interface Reading {
  readonly text: string
  at: number
  /** Nothing is sure of it: a form that is not read, or that has no end. */
  unclear: boolean
  /** A `(` was read: reads the line up to its `)`. */
  readonly nested: (reading: Reading) => void
  /** A line of its own was found. */
  readonly inner: (line: string) => void
}

/** A word that was read. `quoted`: some of it was in quotes. */
export interface Word {
  readonly text: string
  readonly quoted: boolean
}

const ends: ReadonlySet<string> = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")"])

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?"
}
const numbered = /^(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3}))/u

/** Up to the next `end`; without one the line is unclear. */
const upTo = (reading: Reading, end: string): string => {
  const found = reading.text.indexOf(end, reading.at)
  if (found < 0) reading.unclear = true
  const last = found < 0 ? reading.text.length : found
  const taken = reading.text.slice(reading.at, last)
  reading.at = last + 1
  return taken
}

/** `$'…'`, behind its first quote. */
const ansiQuoted = (reading: Reading): string => {
  let text = ""
  while (reading.at < reading.text.length) {
    const char = reading.text[reading.at++]!
    if (char === "'") return text
    if (char !== "\\") {
      text += char
      continue
    }
    // a shell without this form ends its quote there
    if (reading.text[reading.at] === "'") reading.unclear = true
    const found = numbered.exec(reading.text.slice(reading.at, reading.at + 5))
    if (found === null) text += escapes[reading.text[reading.at++] ?? ""] ?? unknownPart
    else {
      reading.at += found[0].length
      const code =
        found[3] === undefined ? Number.parseInt(found[1] ?? found[2] ?? "", 16) : Number.parseInt(found[3], 8)
      text += code === 0 ? unknownPart : String.fromCharCode(code)
    }
  }
  reading.unclear = true
  return text
}

/** `` `…` ``, behind its first sign. */
const backQuoted = (reading: Reading): void => {
  let line = ""
  while (reading.at < reading.text.length) {
    const char = reading.text[reading.at++]!
    if (char === "`") return reading.inner(line)
    // within double quotes it is a quote of the inner line
    if (char === "\\" && reading.text[reading.at] === '"') reading.unclear = true
    if (char === "\\" && /[$`\\]/u.test(reading.text[reading.at] ?? "")) line += reading.text[reading.at++]
    else line += char
  }
  reading.unclear = true
}

/**
 * What `${…}` may begin with. Other forms run what stands in them or in a variable (`${ cmd; }`, `${x@P}`, `${!x}`,
 * `${(e)x}`, an index or an offset with a name in it), or set a variable.
 */
const plainExpansion =
  /^#?(?:[A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[(?:[@*]|\d+)\])?(?:\}|:?[-+?]|[#%/^,]|:(?: ?-)?\d+(?::-?\d+)?\})/u

/** `${…}`, behind its brace: only what runs in it is of interest. */
const braced = (reading: Reading): string => {
  const from = reading.at
  if (!plainExpansion.test(reading.text.slice(from, from + 120))) reading.unclear = true
  while (reading.at < reading.text.length) {
    const char = reading.text[reading.at++]!
    if (char === "}") return /^IFS\b/u.test(reading.text.slice(from, reading.at)) ? " " : unknownPart
    if (char === "\\") reading.at++
    else if (char === "'") {
      // within double quotes some shells take it for a sign like any other
      reading.unclear = true
      upTo(reading, "'")
    } else if (char === '"') doubleQuoted(reading, '"')
    else if (char === "`") backQuoted(reading)
    else if (char === "$") expansion(reading)
  }
  reading.unclear = true
  return unknownPart
}

/** What a `$` begins, behind it. */
const expansion = (reading: Reading): string => {
  const { text, at } = reading
  const next = text[at] ?? ""
  if (next === "(") {
    reading.at++
    reading.nested(reading)
    return unknownPart
  }
  if (next === "{") {
    reading.at++
    return braced(reading)
  }
  const name = /^(?:[A-Za-z_]\w*|[0-9@*#?$!-])/u.exec(text.slice(at, at + 64))?.[0]
  // some shells have `$=name` and its like
  if (/[[=~^+]/u.test(next)) reading.unclear = true
  if (name === undefined) return next === "[" ? unknownPart : "$"
  reading.at += name.length
  return name === "IFS" ? " " : unknownPart
}

/** What stands in double quotes, behind the first; in the body of a here-document (`end` undefined) too. */
export const doubleQuoted = (reading: Reading, end: '"' | undefined): string => {
  let text = ""
  while (reading.at < reading.text.length) {
    const char = reading.text[reading.at++]!
    if (char === end) return text
    if (char === "\\") {
      const next = reading.text[reading.at++] ?? ""
      text += /[$`"\\]/u.test(next) ? next : next === "\n" ? "" : `\\${next}`
    } else if (char === "$") text += expansion(reading)
    else if (char === "`") {
      backQuoted(reading)
      text += unknownPart
    } else text += char
  }
  if (end !== undefined) reading.unclear = true
  return text
}

/** What stands behind a `$` outside of quotes, or in `"` where `$"` begins it. */
const unquotedDollar = (reading: Reading): { readonly text: string; readonly quoted: boolean } => {
  const next = reading.text[reading.at]
  if (next !== "'" && next !== '"') return { text: expansion(reading), quoted: false }
  reading.at++
  return { text: next === "'" ? ansiQuoted(reading) : doubleQuoted(reading, '"'), quoted: true }
}

/** A sign that may mean files, or several words: what it becomes is not known. */
const pattern = (reading: Reading, char: string): string => {
  if (char !== "[" && char !== "{") return unknownPart
  const rest = reading.text.slice(reading.at)
  if (char === "{" && rest.startsWith("}")) return "{"
  // no further than to the next one, so that of many none is looked at twice
  const found = (char === "{" ? /^[^\s{};&|<>()]*[{}]/u : /^[^\s[\];&|<>()]+\]|^[^\s[\];&|<>()]*\[/u).exec(rest)
  if (found === null) return char
  // what is quoted, runs or begins another inside is read on its own: it only ever adds to what is not known
  if (found[0].endsWith(char) || /["'`$\\]/u.test(found[0])) return unknownPart
  if (char === "{" && !/[,.]/u.test(found[0])) return char
  reading.at += found[0].length
  return unknownPart
}

const isProcess = ({ text, at }: Reading): boolean => /^[<>]\(/u.test(text.slice(at, at + 2))

/** Reads a word; undefined: here is none. */
export const readWord = (reading: Reading): Word | undefined => {
  const from = reading.at
  let text = ""
  let quoted = false
  while (reading.at < reading.text.length) {
    const char = reading.text[reading.at]!
    if (isProcess(reading)) {
      reading.at += 2
      reading.nested(reading)
      text += unknownPart
      continue
    }
    if (ends.has(char)) break
    reading.at++
    if (char === "\\") {
      const next = reading.text[reading.at++] ?? ""
      if (next !== "\n") {
        text += next
        quoted = true
      }
    } else if (char === "'" || char === '"') {
      text += char === "'" ? upTo(reading, "'") : doubleQuoted(reading, '"')
      quoted = true
    } else if (char === "$") {
      const read = unquotedDollar(reading)
      text += read.text
      quoted ||= read.quoted
    } else if (char === "`") {
      backQuoted(reading)
      text += unknownPart
    } else text += /[*?[{]/u.test(char) ? pattern(reading, char) : char
  }
  return reading.at === from ? undefined : { text, quoted }
}
