/**
 * Twenty-five shapes of JSON text: what parsing each takes, in time and in memory, beside what
 * src/domain/limits/cost.ts says. A program of its own, so that nothing else is on its heap.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { costOf } from "../../src/domain/limits/cost.ts"
import { jsonExtent } from "../../src/domain/text/json-extent.ts"
import { withWholeCharacters } from "../../src/domain/text/whole-characters.ts"

const bytes = Number(process.argv[2] ?? 262_144)
const rounds = Number(process.argv[3] ?? 9)
const mebibyte = 1_048_576

const filled = (part: (nth: number) => string): string => {
  const parts: Array<string> = []
  for (let size = 0, nth = 0; size < bytes; size += parts.at(-1)!.length + 1) parts.push(part(nth++))
  return parts.join(",")
}
const list = (part: (nth: number) => string): string => `[${filled(part)}]`
const object = (part: (nth: number) => string): string => `{${filled(part)}}`
const words = (length: number): string => "x".repeat(length)

/** A number just below the middle of two doubles, all of whose digits must be compared. */
const between = (digits: number, exponent: number): string => {
  const middle = (1n << 53n) + 1n + 2n * BigInt(Math.floor(Math.random() * 2 ** 50))
  const all = String(middle * 5n ** BigInt(exponent))
  return `${all.slice(0, digits)}e${all.length - digits - exponent}`
}
/** Of which frames are repaired before they are parsed. */
const halfCharacter = "\\ud800"

const someNames = Array.from({ length: 30 }, (_, nth) => `n${nth}`)

/** Names differ from round to round: the engine knows those of the round before. */
const shapes: Readonly<Record<string, (round: number) => string>> = {
  text: () => JSON.stringify(words(bytes)),
  "texts of 1,000": () => list(() => `"${words(1_000)}"`),
  "texts of 20": () => list((nth) => `"${words(14)}${nth}"`),
  escapes: () => `"${'\\n\\"\\\\'.repeat(bytes / 6)}"`,
  "escaped letters": () => `"${"\\u00e9".repeat(bytes / 6)}"`,
  "letters beyond ASCII": () => `"${"é".repeat(bytes / 2)}"`,
  zeros: () => list(() => "0"),
  integers: (round) => list((nth) => String(1_700_000_000 + nth + round)),
  fractions: (round) => list((nth) => String(123_456.789_01 + nth * 1.000_01 + round)),
  "numbers of 20 digits": () => list(() => between(20, 60)),
  "numbers of 700 digits": () => list(() => between(700, 1_000)),
  "halves of characters": () => `"${halfCharacter.repeat(bytes / 6)}"`,
  literals: () => list((nth) => (nth % 2 === 0 ? "true" : "null")),
  "empty objects": () => list(() => "{}"),
  "empty lists": () => list(() => "[]"),
  "deep lists": () => list(() => "[".repeat(20) + "]".repeat(20)),
  "deep objects": () => list(() => `${'{"a":'.repeat(20)}0${"}".repeat(20)}`),
  "objects of one shape": () => list(() => '{"x":0}'),
  messages: () =>
    list((nth) => `{"id":"ses_${nth}","type":"message","role":"agent","text":"hello there ${nth}","n":${nth}}`),
  "long messages": () => list((nth) => `{"id":"ses_${nth}","role":"agent","text":"${words(100)}","n":${nth}}`),
  reports: () =>
    list(
      (nth) =>
        `{"id":"s${nth}","providerType":"claude-cli","status":"generating","workspace":{"path":"/home/u/p${nth}"},"muted":false}`
    ),
  "objects with names of their own": (round) => list((nth) => `{"k${round}_${nth}":0}`),
  "one object of many names": (round) => object((nth) => `"k${round}_${nth}":0`),
  "known names in another order": () =>
    list(() => `{${someNames.map((name) => `"${name}":0`).sort(() => Math.random() - 0.5)}}`),
  "long names": (round) => object((nth) => `"${words(50)}${round}_${nth}":0`)
}

const median = (given: ReadonlyArray<number>): number => given.toSorted((one, other) => one - other)[given.length >> 1]!
setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void
const perMebibyte = (millis: number, text: string): number => (millis * mebibyte) / text.length

const timed = (work: () => unknown): number => {
  const began = process.hrtime.bigint()
  work()
  return Number(process.hrtime.bigint() - began) / 1e6
}

const measured = Object.entries(shapes).map(([name, textOf]) => {
  const [parses, scans, held]: [Array<number>, Array<number>, Array<number>] = [[], [], []]
  let cost = 0
  for (let round = 0; round < rounds; round++) {
    // as the hub has it, decoded from bytes: what was put together is slower to walk through
    const text = Buffer.from(textOf(round)).toString()
    const isOdd = text.includes(halfCharacter)
    const parse = (): unknown => JSON.parse(isOdd ? withWholeCharacters(text) : text)
    scans.push(
      perMebibyte(
        timed(() => jsonExtent(text, text.length, text.length)),
        text
      )
    )
    const extent = jsonExtent(text, text.length, text.length)
    cost = costOf(text.length, isOdd ? { ...extent, repaired: text.length } : extent) / text.length
    collect()
    const before = process.memoryUsage().heapUsed
    let value: unknown
    parses.push(
      perMebibyte(
        timed(() => (value = parse())),
        text
      )
    )
    collect()
    held.push((process.memoryUsage().heapUsed - before) / text.length)
    if (value === undefined) throw new Error("nothing was parsed")
  }
  return { name, cost, parseMillis: median(parses), scanMillis: median(scans), heldBytes: median(held) }
})

console.log(JSON.stringify({ measured }))
