/** The daemon's console log: one readable line per entry. Owns the form; never prints a token or a chat. */
import { plain, plainLines } from "../src/runtime/escape.ts"

/** Says one line: what happened, then facts as `name=value`. */
export type Log = (what: string, facts?: Readonly<Record<string, string | number | boolean | undefined>>) => void

const shown = (value: string | number | boolean): string => {
  const text = String(value)
  return /^[\w./:@+-]{1,200}$/u.test(text) ? text : JSON.stringify(text.slice(0, 200))
}

/** A line as it is printed. */
export const line: (now: number, ...spoken: Parameters<Log>) => string = (now, what, facts = {}) => {
  const pairs = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}=${shown(value)}`]
  )
  return `${new Date(now).toISOString()} ${what}${pairs.join("")}`
}

/** A log on stderr, so that stdout stays free. */
export const consoleLog =
  (now: () => number): Log =>
  (what, facts) => {
    process.stderr.write(plainLines(`${plain(line(now(), what, facts))}\n`))
  }
