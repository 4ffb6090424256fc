/**
 * Bounds a debug bundle in depth, width, strings and bytes, and redacts it, whatever the daemon did before. Owns the
 * walk over objects; redaction.ts redacts texts.
 */
import {
  bundleArrayMax,
  bundleDepthMax,
  bundleKeysMax,
  bundleStringCharsMax,
  bundleTextShareBytes,
  debugBundleBytesMax,
  redactionMarginChars
} from "../../limits.ts"
import { isRecord } from "../../protocol/is-record.ts"
import { cutToBytes, cutToChars } from "../text/truncate.ts"
import { closesPem, mark, opensPem, redactText } from "./redaction.ts"
import { namesCount, namesSecret } from "./secret-shapes.ts"

/** A bundle that may leave. `truncated` only when something was left out. */
export interface DebugBundle {
  readonly bundle: Readonly<Record<string, unknown>>
  readonly text: string
  readonly truncated?: true
}

interface Walk {
  left: number
  truncated: boolean
  /** Values that stood under secret names: taken out wherever else they appear. */
  readonly found: Set<string>
}

const foundMax = 64
const foundCharsMin = mark.length
const deeper = "[deeper]"
const separatorBytes = 2
const envelopeBytes = 64

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "")

const spend = <A>(walk: Walk, value: A, bytes = bytesOf(value)): A | undefined => {
  if (bytes + separatorBytes > walk.left) {
    walk.truncated = true
    return undefined
  }
  walk.left -= bytes + separatorBytes
  return value
}

/** Redacts first and cuts then: a secret halved by a cut would not be known for one. */
const redactAndCut = (walk: Walk, text: string, chars: number): string => {
  if (text.length <= chars) return cutToChars(redactText(text), chars)
  walk.truncated = true
  const searched = redactText(cutToChars(text, chars + redactionMarginChars * 2))
  const whole = text.length <= chars + redactionMarginChars * 2
  return cutToChars(whole ? searched : cutToChars(searched, searched.length - redactionMarginChars), chars)
}

const remember = (walk: Walk, value: unknown): void => {
  if (typeof value === "string" && value.length >= foundCharsMin && walk.found.size < foundMax) walk.found.add(value)
}

const hidden = (walk: Walk, value: unknown): unknown => {
  if (value === null || value === "" || typeof value === "boolean") return spend(walk, value)
  remember(walk, value)
  return spend(walk, mark)
}

/** The longest start of a text whose JSON takes at most `bytes`. */
const cutToJson = (text: string, bytes: number): string => {
  let kept = cutToBytes(text, bytes)
  for (let size = bytesOf(kept); size > bytes; size = bytesOf(kept)) {
    kept = cutToChars(kept, Math.floor((kept.length * bytes) / size) - 1)
  }
  return kept
}

const worthBytes = 64

/** The string that no longer fits is cut to what is left, and ends the walk: what follows is not even read. */
const string = (walk: Walk, value: string): unknown => {
  if (walk.left < worthBytes) {
    walk.truncated = true
    return undefined
  }
  const kept = redactAndCut(walk, value, bundleStringCharsMax)
  const bytes = bytesOf(kept)
  if (bytes + separatorBytes <= walk.left) return spend(walk, kept, bytes)
  const cut = cutToJson(kept, walk.left - separatorBytes)
  walk.truncated = true
  walk.left = 0
  return cut
}

/** An option before its value (`--password`), or the name in a pair of name and value. */
const announces = (elements: ReadonlyArray<unknown>, at: number): boolean => {
  const before = elements[at - 1]
  if (typeof before !== "string" || before.length > 128) return false
  const option = /^--?[A-Za-z][^=]*$/u.test(before)
  return (option || (elements.length === 2 && at === 1)) && namesSecret(before)
}

const array = (walk: Walk, value: ReadonlyArray<unknown>, depth: number): unknown => {
  if (value.length > bundleArrayMax) walk.truncated = true
  const kept: Array<unknown> = []
  let pem = false
  for (const [at, element] of value.slice(0, bundleArrayMax).entries()) {
    const inPem = pem
    if (typeof element === "string") pem = opensPem(element) || (pem && !closesPem(element))
    const one =
      announces(value, at) || (inPem && typeof element === "string") ? hidden(walk, element) : any(walk, element, depth)
    if (one !== undefined) kept.push(one)
  }
  return kept
}

const namedBy = (value: Readonly<Record<string, unknown>>): boolean =>
  ["name", "key", "header"].some((word) => typeof value[word] === "string" && namesSecret(value[word] as string))

const object = (walk: Walk, value: Readonly<Record<string, unknown>>, depth: number): unknown => {
  const kept: Array<readonly [string, unknown]> = []
  const named = namedBy(value)
  let seen = 0
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue
    if (seen++ >= bundleKeysMax) {
      walk.truncated = true
      break
    }
    const name = redactAndCut(walk, key, bundleStringCharsMax)
    if (spend(walk, name) === undefined) break
    const member = value[key]
    const counted = typeof member === "number" && namesCount(key)
    const secret = (namesSecret(key) && !counted) || (named && key === "value")
    const one = secret ? hidden(walk, member) : any(walk, member, depth)
    if (one !== undefined) kept.push([name, one])
  }
  return Object.fromEntries(kept)
}

const any = (walk: Walk, value: unknown, depth: number): unknown => {
  if (typeof value === "string") return string(walk, value)
  if (typeof value !== "object" || value === null) return spend(walk, value)
  if (depth >= bundleDepthMax) {
    walk.truncated = true
    return spend(walk, deeper)
  }
  if (spend(walk, "", separatorBytes) === undefined) return undefined
  return Array.isArray(value)
    ? array(walk, value, depth + 1)
    : object(walk, value as Readonly<Record<string, unknown>>, depth + 1)
}

const without = (text: string, found: ReadonlySet<string>): string => {
  let clear = text
  for (const secret of found) clear = clear.replaceAll(secret, mark)
  return clear
}

const everywhere = (value: unknown, found: ReadonlySet<string>): unknown => {
  if (typeof value === "string") return without(value, found)
  if (Array.isArray(value)) return value.map((element) => everywhere(element, found))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [without(name, found), everywhere(one, found)]))
}

/** Bounds and redacts a bundle and its copy-ready text; without a text, the bundle written out is it. */
export const boundBundle = (bundle: Readonly<Record<string, unknown>>, text: string | undefined): DebugBundle => {
  const share = text === undefined ? bundleTextShareBytes : Math.min(bytesOf(text), bundleTextShareBytes)
  const walk: Walk = { left: debugBundleBytesMax - share - envelopeBytes, truncated: false, found: new Set() }
  const walked = object(walk, bundle, 1)
  const clear = (walk.found.size === 0 ? walked : everywhere(walked, walk.found)) as Record<string, unknown>
  const room = debugBundleBytesMax - bytesOf(clear) - envelopeBytes
  const raw = text ?? JSON.stringify(clear, undefined, 2)
  const searched = text === undefined ? raw : without(redactAndCut(walk, raw, room), walk.found)
  const kept = cutToJson(searched, room)
  const truncated = walk.truncated || kept.length < searched.length
  return truncated ? { bundle: clear, text: kept, truncated: true } : { bundle: clear, text: kept }
}

/** Bounds and redacts what a dashboard shows, before it goes to the daemon. */
export const boundSnapshot = (snapshot: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const walk: Walk = { left: debugBundleBytesMax / 2, truncated: false, found: new Set() }
  return everywhere(object(walk, snapshot, 1), walk.found) as Readonly<Record<string, unknown>>
}
