/**
 * Redacts secrets in texts. Owns the passes over one text; secret-shapes.ts owns the shapes, debug-bundle.ts the
 * objects. Each pass runs once from left to right, so no input takes more than linear time. In doubt it redacts too
 * much.
 */
import {
  loginOption,
  namesCount,
  namesQuerySecret,
  namesSecret,
  namesWholeLine,
  schemed,
  sshpass,
  twoHalves,
  vendorToken
} from "./secret-shapes.ts"

/** What stands where a secret stood. */
export const mark = "[redacted]"

const begin = "-----BEGIN "
const end = "-----END "

/** Blocks of PEM; one that does not end takes the rest of the text with it. */
const withoutPem = (text: string): string => {
  let at = text.indexOf(begin)
  if (at < 0) return text
  let kept = ""
  let from = 0
  while (at >= 0) {
    kept += text.slice(from, at) + mark
    const close = text.indexOf(end, at)
    if (close < 0) return kept
    const dashes = text.indexOf("-----", close + end.length)
    if (dashes < 0) return kept
    from = dashes + 5
    at = text.indexOf(begin, from)
  }
  return kept + text.slice(from)
}

/** Whether a text opens a PEM block that it does not close. */
export const opensPem = (text: string): boolean => text.lastIndexOf(begin) > text.lastIndexOf(end)
/** Whether a text closes a PEM block. */
export const closesPem = (text: string): boolean => text.includes(end)

/** `scheme://user:secret@host` */
const withoutUserInfo = (text: string): string =>
  text.replace(/:\/\/[^\s/?#"'<>\\]*/gu, (authority) => {
    const at = authority.lastIndexOf("@")
    if (at < 0) return authority
    const colon = authority.indexOf(":", 3)
    return colon < 0 || colon > at
      ? `://${mark}${authority.slice(at)}`
      : `${authority.slice(0, colon + 1)}${mark}${authority.slice(at)}`
  })

const nameChar = /[A-Za-z0-9_.-]/u
const stops = new Set([..." \t\r\n,;&\"'`\\<>)]}|"])
const lineStops = new Set([..."\r\n\"'`"])
const quotes = new Set([..."\"'`"])
const nameCharsMax = 80
const linesCharsMax = 4_096

/** The name that ends right before `at`, and whether it stands in a URL's query. */
const nameBefore = (text: string, at: number, floor: number): { readonly name: string; readonly query: boolean } => {
  let to = at
  while (to > floor && at - to < 8 && ` "'\`\\\t`.includes(text[to - 1]!)) to--
  let from = to
  while (from > floor && to - from < nameCharsMax && nameChar.test(text[from - 1]!)) from--
  const before = text[from - 1]
  return { name: text.slice(from, to), query: before === "?" || before === "&" || before === "#" }
}

/** Where the object or array that opens at `from` closes. */
const closing = (text: string, from: number): number => {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === "{" || text[at] === "[") depth++
    else if ((text[at] === "}" || text[at] === "]") && --depth === 0) return at + 1
  }
  return text.length
}

interface Span {
  readonly from: number
  readonly to: number
}

/** Where a quoted value ends: at its quote, or where the quote is far away at the end of the line. */
const quotedEnd = (text: string, from: number, quote: string, slashes: number): number => {
  let run = 0
  let line = -1
  for (let at = from; at < text.length; at++) {
    const char = text[at]!
    if (char === "\n" && line < 0) line = at
    if (line >= 0 && at - line > linesCharsMax) return line
    if (char === quote && (slashes === 0 ? run % 2 === 0 : run <= slashes)) return at - (slashes === 0 ? 0 : run)
    run = char === "\\" ? run + 1 : 0
  }
  return text.length
}

/** Where the value that starts at or after `at` lies. */
const valueAfter = (text: string, at: number, name: string, quotedName: boolean): Span => {
  let from = at
  while (from < text.length && from - at < 8 && (text[from] === " " || text[from] === "\t")) from++
  let slashes = 0
  while (slashes < 8 && text[from + slashes] === "\\") slashes++
  const opener = text[from + slashes]
  if (opener !== undefined && quotes.has(opener)) {
    const start = from + slashes + 1
    return { from: start, to: quotedEnd(text, start, opener, slashes) }
  }
  if (quotedName && opener !== undefined && "{[".includes(opener)) return { from, to: closing(text, from) }
  const stop = namesWholeLine(name) ? lineStops : stops
  let to = from
  while (to < text.length) {
    if (text.startsWith(mark, to)) to += mark.length
    else if (stop.has(text[to]!)) break
    else to++
  }
  return { from, to }
}

/** `name=value`, `name: value`, `"name": "value"`, `--name value` where the name says secret. */
const withoutAssignments = (text: string): string => {
  const separator = /[=:]|[ \t](?<=--?[A-Za-z][A-Za-z0-9_-]{0,63}[ \t])|%3[AaDd]/gu
  let kept = ""
  let from = 0
  for (let found = separator.exec(text); found !== null; found = separator.exec(text)) {
    const { name, query } = nameBefore(text, found.index, from)
    if (name === "" || !(query ? namesQuerySecret(name) : namesSecret(name))) continue
    const after = found.index + found[0].length
    const value = valueAfter(text, after, name, `"'\`\\`.includes(text[found.index - 1] ?? " "))
    const given = text.slice(value.from, value.to)
    if (given === "" || given === mark || (namesCount(name) && /^\d{1,12}$/u.test(given))) continue
    kept += text.slice(from, value.from) + mark
    from = value.to
    separator.lastIndex = from
  }
  return kept + text.slice(from)
}

/** The text without its secrets. */
export const redactText = (text: string): string => {
  if (text.length < 6) return text
  const clear = withoutUserInfo(withoutPem(text))
    .replace(schemed, (_all, scheme: string, space: string) => `${scheme}${space}${mark}`)
    .replace(vendorToken, mark)
    .replace(twoHalves, mark)
    .replace(loginOption, (_all, before: string) => before + mark)
    .replace(sshpass, (_all, before: string) => before + mark)
  return withoutAssignments(clear)
}
