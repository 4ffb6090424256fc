/**
 * What a run finds: each with the seed and the index of its input, so that it can be drawn again. Owns the counts and
 * the sentences; judges nothing.
 */

/** How many findings of a surface are told in full. */
const toldMax = 20

/** The surfaces of a hub that are fuzzed. */
export const surfaces = ["rest", "socket", "registry"] as const
/** One of them. */
export type Surface = (typeof surfaces)[number]

/** What one surface came to. */
export interface Tally {
  readonly surface: Surface
  /** Of the inputs that are played now. */
  seed: number
  inputs: number
  /** Of them, those that know the contract. */
  structured: number
  findings: number
  readonly told: Array<string>
  /** Told at once: a run that is interrupted has shown what it found. */
  readonly tell: (sentence: string) => void
  /** Answers by status, closes by code. */
  readonly ends: Map<string, number>
  millis: number
}

/** None of it yet. */
export const emptyTally = (surface: Surface, seed: number, tell: Tally["tell"]): Tally => ({
  surface,
  seed,
  inputs: 0,
  structured: 0,
  findings: 0,
  told: [],
  tell,
  ends: new Map(),
  millis: 0
})

/** Counts how an input ended. */
export const countEnd = ({ ends }: Tally, end: string): void => void ends.set(end, (ends.get(end) ?? 0) + 1)

/** How one input, or some in a row, are played again. */
export const again = ({ surface, seed }: Tally, first: number, count = 1): string =>
  `./hub bench fuzz --only ${surface} --seed ${seed} --first ${first} --inputs ${count}`

/** Keeps what was found. */
export const find = (tally: Tally, sentence: string, first?: number, count?: number): void => {
  tally.findings++
  if (tally.told.length >= toldMax) return
  const told = first === undefined ? sentence : `${sentence}\n    again: ${again(tally, first, count)}`
  tally.told.push(told)
  tally.tell(`FOUND ${told}`)
}

/** How the inputs of a surface ended, most first. */
export const endsText = ({ ends }: Tally): string =>
  [...ends]
    .sort(([, a], [, b]) => b - a)
    .map(([end, count]) => `${end} × ${count.toLocaleString("en-US")}`)
    .join(", ")
