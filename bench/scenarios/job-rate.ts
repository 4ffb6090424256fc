/** How a job held its rate, from the moments at which its commands came. Owns the arithmetic; measures nothing. */

/** How a rate was held. */
export interface Held {
  /** How far the rate over the whole run was from what was asked, in percent. */
  readonly offPercent: number
  /** Commands in each whole second. */
  readonly perSecond: ReadonlyArray<number>
  /** How far the worst of them was; none where the run had no whole second. */
  readonly worst: ReadonlyArray<number>
}

const percentOff = (value: number, asked: number): number => Math.abs(value / asked - 1) * 100

/** Of moments in milliseconds, in order, and the rate per second that was asked for. */
export const heldRate = (millis: ReadonlyArray<number>, asked: number): Held => {
  const first = millis[0] ?? 0
  const lasted = (millis.at(-1) ?? 0) - first
  const perSecond: Array<number> = Array.from({ length: Math.floor(lasted / 1_000) }, () => 0)
  for (const at of millis) {
    const second = Math.floor((at - first) / 1_000)
    if (second < perSecond.length) perSecond[second]!++
  }
  const worst = perSecond.length === 0 ? [] : [Math.max(...perSecond.map((sent) => percentOff(sent, asked)))]
  return { offPercent: percentOff(((millis.length - 1) * 1_000) / lasted, asked), perSecond, worst }
}

/** How long after its `nth` the last one came. */
export const lastAfter = (millis: ReadonlyArray<number>, nth: number): number => millis.at(-1)! - millis[nth - 1]!

/**
 * How many more of all were sent once more commands than `failures` had exited with 1; `exits`: how many had been sent
 * as each of those came.
 */
export const sentBeyond = (exits: ReadonlyArray<number>, failures: number, all: number): number =>
  all - (exits[failures] ?? exits.at(-1) ?? 0)

/** All of both, with the few at equal distances: a job may well send in the order in which it is given its targets. */
export const spread = (many: ReadonlyArray<string>, few: ReadonlyArray<string>): ReadonlyArray<string> => {
  const each = many.length / few.length
  return few.flatMap((one, at) => [...many.slice(Math.floor(at * each), Math.floor((at + 1) * each)), one])
}
