/**
 * The figures of record, `bench/baseline.json`: one report per scenario. Owns reading, writing and what has changed.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Figure, Report } from "./figures.ts"

const file = fileURLToPath(new URL("../baseline.json", import.meta.url))

/** What is on record, by scenario. */
export type Records = Readonly<Record<string, Report>>

/** Reads the record; empty where there is none yet. */
export const records = (): Records => (existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Records) : {})

/** Puts these reports on record; curves and notes are not kept. */
export const keep = (made: ReadonlyArray<Report>): void => {
  const all: Record<string, Report> = { ...records() }
  for (const { series: _, notes: __, ...rest } of made) all[rest.scenario] = rest
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`)
}

/** Half the distance between the outermost runs, as the table shows it. */
const half = (figure: Figure): number => (figure.spread ?? 0) / 2

const signed = (value: number, digits: number): string => `${value >= 0 ? "+" : ""}${value.toFixed(digits)}`

/** A difference is compared in its unit: what it is a share of is not what matters. */
const changeOfDifference = (now: Figure, then: Figure): string => {
  const within = (now.margin ?? 0) + (then.margin ?? 0)
  const change = now.value - then.value
  if (Math.abs(change) <= within) return `  within the spread (± ${Number(within.toPrecision(3))} ${now.unit})`
  return `  ${signed(change, 2)} ${now.unit}`
}

const changeOfValue = (now: number, then: number, within: number): string => {
  if (!(then > 0)) return ""
  const share = now / then - 1
  if (Math.abs(share) <= within) return `  within the spread (± ${(within * 100).toFixed(1)} %)`
  return `  ${signed(share * 100, 1)} %`
}

/**
 * How each figure stands against the record, one line per figure. A ratio is compared as such: the machine may differ.
 * A change that the spreads of both explain is none.
 */
export const changes = (made: Report, before: Report | undefined): ReadonlyArray<string> => {
  if (before === undefined) return [`${made.scenario}: nothing on record`]
  const lines = made.figures.flatMap((figure) => {
    const old = before.figures.find(({ name }) => name === figure.name)
    if (old === undefined) return [`  ${figure.name}  new`]
    const [now, then] =
      figure.ratio === undefined || old.ratio === undefined ? [figure.value, old.value] : [figure.ratio, old.ratio]
    const change =
      figure.margin === undefined ? changeOfValue(now, then, half(figure) + half(old)) : changeOfDifference(figure, old)
    return [`  ${figure.name}  ${then.toPrecision(4)} → ${now.toPrecision(4)}${change}`]
  })
  const elsewhere = before.machine === made.machine ? "" : `, on another machine (${before.machine})`
  return [`${made.scenario} against revision ${before.revision}${elsewhere}`, ...lines]
}
