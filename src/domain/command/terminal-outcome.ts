/**
 * How a terminal command ended, in brief: its exit code, and what it wrote first and last. Owns how this is read from
 * what its daemon answered, whose large answers are not parsed for it. Pure.
 */
import { constants } from "node:os"
import { stripVTControlCharacters } from "node:util"
import { outputEndCharsMax } from "../../limits/commands.ts"
import { exitCodeMax, exitCodeMin, largeFrameBytes } from "../../limits.ts"
import { isRecord } from "../../protocol/is-record.ts"
import { cutToChars, lastChars } from "../text/truncate.ts"

/** The beginning and the end of what a command wrote; together they are all of it where it is short. */
export interface OutputEnds {
  readonly head: string
  readonly tail: string
}

/** How a terminal command ended. */
export interface TerminalOutcome {
  /** Null: its daemon did not say. Of one that a signal ended: 128 and the signal's number, as in a shell. */
  readonly exitCode: number | null
  /** Undefined: it is not known. */
  readonly output?: OutputEnds | undefined
}

const inBounds = (code: number): number => Math.min(exitCodeMax, Math.max(exitCodeMin, Math.trunc(code))) + 0

const afterSignal = (signal: unknown): number | null => {
  if (typeof signal !== "string") return null
  const number = (constants.signals as Readonly<Record<string, number>>)[signal]
  return 128 + (number ?? 0)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
const unseen = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/gu
/** What is looked at for each character that is shown: sequences for terminals are left out. */
const margin = 4

const shown = (text: string): string => stripVTControlCharacters(text).replace(unseen, "")

/** The ends of what was written, for people: without sequences for terminals. First stdout, then stderr. */
export const outputEnds = (stdout: string, stderr: string): OutputEnds => {
  const looked = outputEndCharsMax * margin
  const isShort = stdout.length + stderr.length <= 2 * looked
  if (isShort) {
    const all = shown(stdout + stderr)
    const head = cutToChars(all, outputEndCharsMax)
    return { head, tail: lastChars(all.slice(head.length), outputEndCharsMax) }
  }
  const first = stdout.slice(0, looked) + stderr.slice(0, Math.max(0, looked - stdout.length))
  const last = stdout.slice(Math.min(stdout.length, stdout.length + stderr.length - looked)) + stderr.slice(-looked)
  return { head: cutToChars(shown(first), outputEndCharsMax), tail: lastChars(shown(last), outputEndCharsMax) }
}

/** The exit code in a result that is JSON. In a text such a member cannot stand: its quotes would be escaped. */
export const exitCodeIn = (json: string): number | null => {
  const code = /"exitCode"\s*:\s*(-?\d{1,15})/u.exec(json)?.[1]
  if (code !== undefined) return inBounds(Number(code))
  return afterSignal(/"signal"\s*:\s*"(SIG\w{1,12})"/u.exec(json)?.[1])
}

/** Where a JSON text ends that begins there: at the first quote that is not escaped. */
const endOfText = (json: string, from: number): number => {
  for (let at = json.indexOf('"', from); at !== -1; at = json.indexOf('"', at + 1)) {
    let escapes = 0
    while (json[at - 1 - escapes] === "\\") escapes++
    if (escapes % 2 === 0) return at
  }
  return json.length
}

const escapeChars = 6

/** The text of the first of these pieces that is one: a cut may have split an escape. */
const unescaped = (pieces: ReadonlyArray<string>): string => {
  for (const piece of pieces) {
    try {
      return JSON.parse(`"${piece}"`) as string
    } catch {}
  }
  return ""
}

/** The ends of a text in JSON, as one text: its middle is left out. */
const textIn = (json: string, name: string): string => {
  const found = new RegExp(`"${name}"\\s*:\\s*"`, "u").exec(json)
  if (found === null) return ""
  const from = found.index + found[0].length
  const to = endOfText(json, from)
  const looked = outputEndCharsMax * margin * escapeChars
  if (to - from <= 2 * looked) return unescaped([json.slice(from, to)])
  const cuts = Array.from({ length: escapeChars }, (_, cut) => cut)
  const first = cuts.map((cut) => json.slice(from, from + looked - cut))
  const last = cuts.map((cut) => json.slice(to - looked + cut, to))
  return unescaped(first) + unescaped(last)
}

/** How a terminal command ended whose daemon answered this, in JSON. */
export const outcomeIn = (json: string): TerminalOutcome => {
  if (json.length >= largeFrameBytes)
    return { exitCode: exitCodeIn(json), output: outputEnds(textIn(json, "stdout"), textIn(json, "stderr")) }
  const given: unknown = JSON.parse(json)
  if (!isRecord(given)) return { exitCode: null }
  const { exitCode, signal, stdout, stderr } = given
  const code = typeof exitCode === "number" && !Number.isNaN(exitCode) ? inBounds(exitCode) : afterSignal(signal)
  if (typeof stdout !== "string" && typeof stderr !== "string") return { exitCode: code }
  const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
  return { exitCode: code, output: outputEnds(textOf(stdout), textOf(stderr)) }
}
