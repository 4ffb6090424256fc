/** The daemon's console log: one readable line per entry. Owns the form; never prints a token or a chat. */
import { plain, plainLines } from "../src/runtime/escape.ts"

/** Says one line: what happened, then facts as `name=value`. */
export type Log = (what: string, facts?: Readonly<Record<string, string | number | boolean | undefined>>) => void

const shownCharsMax = 500

const shown = (value: string | number | boolean): string => {
  const text = String(value)
  return /^[\w./:@+-]{1,200}$/u.test(text) ? text : JSON.stringify(text.slice(0, shownCharsMax))
}

/** A line as it is printed. */
export const line: (now: number, ...spoken: Parameters<Log>) => string = (now, what, facts = {}) => {
  const pairs = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}=${shown(value)}`]
  )
  return `${new Date(now).toISOString()} ${what}${pairs.join("")}`
}

/** The same for a person at a terminal: a sentence, and of a hub that stays away only what changes. */
export const sentence: (now: number, ...spoken: Parameters<Log>) => string | undefined = (now, what, facts = {}) => {
  const { reason, againInMs, attempt = 1, ...rest } = facts
  if (what === "connecting" && Number(attempt) > 1) return undefined
  const why = reason === undefined || reason === "" ? "" : `: ${reason}`
  const next = againInMs === undefined ? "" : `; trying again in ${Math.ceil(Number(againInMs) / 1_000)} s`
  return `${line(now, what, rest)}${why}${next}`
}

/** A log on stderr, so that stdout stays free. */
export const consoleLog =
  (now: () => number, isTerminal = process.stderr.isTTY === true): Log =>
  (what, facts) => {
    const said = (isTerminal ? sentence : line)(now(), what, facts)
    if (said !== undefined) process.stderr.write(plainLines(`${plain(said)}\n`))
  }
