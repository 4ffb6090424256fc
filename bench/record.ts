/** The figures of record, `bench/baseline.json`: one report a scenario. Owns reading, writing and what has changed. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Report } from "./figures.ts"

const file = fileURLToPath(new URL("baseline.json", import.meta.url))

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

/** How each figure stands against the record, one line a figure. A ratio is compared as such: the machine may differ. */
export const changes = (made: Report, before: Report | undefined): ReadonlyArray<string> => {
  if (before === undefined) return [`${made.scenario}: nothing on record`]
  const lines = made.figures.flatMap((figure) => {
    const old = before.figures.find(({ name }) => name === figure.name)
    if (old === undefined) return [`  ${figure.name}  new`]
    const [now, then] =
      figure.ratio === undefined || old.ratio === undefined ? [figure.value, old.value] : [figure.ratio, old.ratio]
    const change = then === 0 ? "" : `  ${now >= then ? "+" : ""}${((now / then - 1) * 100).toFixed(1)} %`
    return [`  ${figure.name}  ${then.toPrecision(4)} → ${now.toPrecision(4)}${change}`]
  })
  const elsewhere = before.machine === made.machine ? "" : `, on another machine (${before.machine})`
  return [`${made.scenario} against revision ${before.revision}${elsewhere}`, ...lines]
}
