/** Rows as figures with goals, and as the table a person reads. Owns the goals and the verdicts; measures nothing. */
import { atMost, type Figure } from "../report/figures.ts"
import type { LoopFigures } from "../servers/loop.ts"
import { attacks } from "./all.ts"
import type { Row } from "./row.ts"
import { type RegularKind, regularKinds, type StretchFigures } from "./tally.ts"

/** Regular p99 may be this many times what it was before, or this many milliseconds, whichever is more. */
const p99Ratio = 1.2
const p99Millis = 100
/** Memory afterwards, as a share of what it was before. */
const rssRatio = 1.1
const sum = (of: Readonly<Record<string, number>>): number => Object.values(of).reduce((all, one) => all + one, 0)
const failures = ({ during, after }: Row): number => sum(during.failed) + sum(after.failed)
const allowed = (before: number): number => Math.max(p99Ratio * before, p99Millis)
const measured = (of: StretchFigures): ReadonlyArray<RegularKind> =>
  regularKinds.filter((kind) => of.kinds[kind] !== undefined)
const p99Of = (of: StretchFigures, kind: RegularKind): number => of.kinds[kind]?.p99 ?? 0

/** The kind whose p99 went furthest beyond what it may be. */
const worst = ({ before, during }: Row): RegularKind =>
  measured(during).reduce((one, other) => {
    const beyond = (kind: RegularKind): number => p99Of(during, kind) / allowed(p99Of(before, kind))
    return beyond(other) > beyond(one) ? other : one
  }, "command" as RegularKind)

/**
 * What was broken: as the hub reports it, or because no daemon could connect, or because the attack never reached the
 * hub.
 */
const brokenOf = (row: Row): ReadonlyArray<string> => [
  ...row.broken,
  ...(row.during.kinds.connect?.good === 0 ? ["no daemon could connect"] : []),
  ...(row.reached === 0 ? ["the attack did not reach the hub"] : [])
]

/**
 * Whether the generator explains what a p99 is above its goal: it may have been as late to read an answer as it was to
 * ask.
 */
const isSpoiled = (row: Row): boolean => {
  const kind = worst(row)
  const [most, is] = [allowed(p99Of(row.before, kind)), p99Of(row.during, kind)]
  return is > most && is - 2 * row.during.lateP99 <= most
}

/** What of a row misses its goal. */
export const missedBy = (row: Row): ReadonlyArray<string> => {
  const kind = worst(row)
  const [was, is] = [p99Of(row.before, kind), p99Of(row.during, kind)]
  const failed = Object.entries({ ...row.during.failed, ...row.after.failed }).map(
    ([why, count]) => `${count} × ${why}`
  )
  return [
    ...(is > allowed(was) && !isSpoiled(row) ? [`p99 of ${kind} ${millis(was)} → ${millis(is)} ms`] : []),
    ...(failures(row) > 0 ? [`failed on kept connections: ${failed.join(", ")}`] : []),
    ...(row.rss.after > rssRatio * row.rss.before ? [`RSS × ${(row.rss.after / row.rss.before).toFixed(2)}`] : []),
    ...brokenOf(row)
  ]
}

const prefixOf = (name: string): string => `siege_${name.replaceAll("-", "_")}`

/** How much does not work afterwards. */
export const brokenFigure = (name: string, count: number): Figure =>
  atMost(`${prefixOf(name)}_broken`, count, "things", 0)

/** A row's figures. */
export const figuresOf = (row: Row): ReadonlyArray<Figure> => {
  const [kind, name] = [worst(row), prefixOf(row.name)]
  const [baseline, value] = [p99Of(row.before, kind), p99Of(row.during, kind)]
  const [failed, broken, { before, after }] = [failures(row), brokenOf(row).length, row.rss]
  const p99: Figure = {
    name: `${name}_p99_ms`,
    value,
    unit: "ms",
    baseline,
    goal: `<= ${p99Ratio} × baseline or ${p99Millis} ms`,
    ...(isSpoiled(row) ? {} : { holds: value <= allowed(baseline) })
  }
  return [
    p99,
    atMost(`${name}_failed`, failed, "requests", 0),
    {
      name: `${name}_rss_mb`,
      value: after / 1e6,
      unit: "MB",
      baseline: before / 1e6,
      ratio: after / before,
      goal: `ratio <= ${rssRatio}`,
      holds: after <= rssRatio * before
    },
    brokenFigure(row.name, broken)
  ]
}

const millis = (value: number): string => (value >= 10 ? value.toFixed(0) : value.toFixed(1))
const mebibytes = (bytes: number): string => (bytes / 1_048_576).toFixed(0)

const cell = (row: Row, kind: RegularKind): string => {
  const said = (of: StretchFigures): string => {
    const figures = of.kinds[kind]
    return figures === undefined ? "-" : `${millis(figures.p50)}/${millis(figures.p99)}`
  }
  const [before, during] = [said(row.before), said(row.during)]
  return before === "-" && during === "-" ? "" : `${before} → ${during}`
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`
/** Whether the hub's loop, its core or something that waits elsewhere made others wait. */
const loopInWords = ({ loop: { before, during } }: Row): string => {
  const said = (of: (loop: LoopFigures) => string): string => `${of(before)} → ${of(during)}`
  return (
    `the hub's loop was late by p99 ${said((of) => millis(of.lateP99))} ms, at most ${said((of) => millis(of.lateMax))} ms, ` +
    `worked ${said((of) => percent(of.worked))} of the time, waited for a core ${said((of) => percent(of.waited))}`
  )
}

const heads = ["row", "finding", ...regularKinds, "failed", "put off", "lost", "CPU", "RSS MiB", "disk MiB", "verdict"]

const line = (row: Row): ReadonlyArray<string> => {
  const { before, peak, after } = row.rss
  const missed = missedBy(row)
  const verdict = missed.length > 0 ? "MISSED" : isSpoiled(row) ? "SPOILED" : "holds"
  return [
    row.name,
    attacks[row.name].finding,
    ...regularKinds.map((kind) => cell(row, kind)),
    String(failures(row)),
    String(row.during.putOff),
    String(row.during.lost),
    percent(row.busy),
    `${mebibytes(before)} → ${mebibytes(peak)} → ${mebibytes(after)}`,
    mebibytes(row.diskBytes),
    verdict
  ]
}

/** The table, and under it what each row did, came to, and misses. Latencies are p50/p99 in ms, before → during. */
export const siegeTable = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const lines = [heads, ...rows.map(line)]
  const widths = heads.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)))
  const told = rows.flatMap((row) => {
    const said = Object.entries(row.counts).map(([name, count]) => `${name} ${count}`)
    const late = `the generator was late by p99 ${millis(row.before.lateP99)} → ${millis(row.during.lateP99)} ms`
    return [
      `${row.name}: ${attacks[row.name].asks}; ${said.join(", ")}`,
      `${row.name}: ${loopInWords(row)}; ${late}`,
      ...missedBy(row).map((one) => `${row.name}: MISSED, ${one}`),
      ...(isSpoiled(row) ? [`${row.name}: its p99 is not judged: the generator explains it`] : [])
    ]
  })
  return [
    ...lines.map((cells) =>
      cells
        .map((one, column) => one.padEnd(widths[column]!))
        .join("  ")
        .trimEnd()
    ),
    ...told
  ]
}
