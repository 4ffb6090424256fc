/**
 * What a bench run says: figures with their goals, printed as a table and written as JSON. Owns the shape and the
 * verdict; measures nothing.
 */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"

/** One measured figure. `ratio` is value against baseline in the same run; the goal is met when `holds`. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly baseline?: number
  readonly ratio?: number
  /** How far apart the outermost of several runs were, as a share of their median. */
  readonly spread?: number
  /** Of a difference, of which a share would mean nothing: how far the runs lie from it, in its unit. */
  readonly margin?: number
  readonly goal?: string
  /** Undefined also where a difference lies within its margin: then there is no verdict. */
  readonly holds?: boolean
}

/** What a whole run of one scenario says. */
export interface Report {
  readonly scenario: string
  readonly machine: string
  readonly revision: string
  readonly figures: ReadonlyArray<Figure>
  /** Curves for the page. */
  readonly series?: ReadonlyArray<Series>
  /** What belongs beside the figures. */
  readonly notes?: ReadonlyArray<string>
}

/** A curve or several in one chart. */
export interface Series {
  readonly title: string
  readonly x: string
  readonly y: string
  readonly lines: ReadonlyArray<{ readonly name: string; readonly points: ReadonlyArray<readonly [number, number]> }>
}

/** A figure that must reach `goal` or more. */
export const atLeast = (name: string, value: number, unit: string, goal: number): Figure => ({
  name,
  value,
  unit,
  goal: `>= ${goal} ${unit}`,
  holds: value >= goal
})

/** A figure that may reach `goal` at most. */
export const atMost = (name: string, value: number, unit: string, goal: number): Figure => ({
  name,
  value,
  unit,
  goal: `<= ${goal} ${unit}`,
  holds: value <= goal
})

/** A figure as a share of a baseline measured in the same run. `bound` says on which side of `goal` it must stay. */
export const against = (
  name: string,
  value: number,
  baseline: number,
  unit: string,
  bound: ">=" | "<=",
  goal: number
): Figure => {
  const ratio = baseline === 0 ? Number.NaN : value / baseline
  return {
    name,
    value,
    unit,
    baseline,
    ratio,
    goal: `ratio ${bound} ${goal}`,
    holds: bound === ">=" ? ratio >= goal : ratio <= goal
  }
}

/** A figure that must be near a baseline: no further from it, on either side, than this share. */
export const within = (name: string, value: number, baseline: number, unit: string, share: number): Figure => {
  const ratio = baseline === 0 ? Number.NaN : value / baseline
  const goal = `ratio within ${Math.round(share * 100)} %`
  return { name, value, unit, baseline, ratio, goal, holds: Math.abs(ratio - 1) <= share }
}

/** A figure that is only shown. */
export const shown = (name: string, value: number, unit: string): Figure => ({ name, value, unit })

/** How far apart the runs were, as the table and the page show it. */
export const spreadText = ({ spread, margin, unit }: Figure): string => {
  if (margin !== undefined) return `± ${number(margin)} ${unit}`
  return spread === undefined ? "" : `± ${(spread * 50).toFixed(1)} %`
}

/** Whether the goal is met, in words. */
export const verdictText = ({ goal, holds, margin }: Figure): string => {
  if (holds !== undefined) return holds ? "holds" : "MISSED"
  return goal !== undefined && margin !== undefined ? "within its spread" : ""
}

/** The revision of the checkout, or "unknown" outside one. */
const revision = (): string => {
  try {
    const quiet = { encoding: "utf8" as const, stdio: ["ignore", "pipe", "ignore"] as Array<"ignore" | "pipe"> }
    const head = execFileSync("git", ["rev-parse", "--short", "HEAD"], quiet).trim()
    const dirty = execFileSync("git", ["status", "--porcelain", "--untracked-files=no"], quiet).trim() !== ""
    return dirty ? `${head}+changes` : head
  } catch {
    return "unknown"
  }
}

/** What the figures were measured on. */
export const machine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB, node ${process.versions.node}`

/** Puts what a scenario gives into a report. What could not be measured (the CPU of a hub elsewhere) is only named. */
export const report = (
  scenario: string,
  { figures, series = [], notes = [] }: Pick<Report, "figures" | "series" | "notes">
): Report => {
  const known = ({ value, ratio }: Figure): boolean =>
    Number.isFinite(value) && (ratio === undefined || Number.isFinite(ratio))
  const missing = figures.filter((figure) => !known(figure)).map(({ name }) => name)
  const said = missing.length === 0 ? notes : [...notes, `not to be measured here: ${missing.join(", ")}`]
  return {
    scenario,
    machine: machine(),
    revision: revision(),
    figures: figures.filter(known),
    ...(series.length === 0 ? {} : { series }),
    ...(said.length === 0 ? {} : { notes: said })
  }
}

const number = (value: number): string =>
  Number.isInteger(value) || Math.abs(value) >= 1_000
    ? Math.round(value).toLocaleString("en-US")
    : String(Number(value.toPrecision(3)))

/** The table a person reads. */
export const table = (made: Report): string => {
  const rows = made.figures.map((figure) => [
    figure.name,
    `${number(figure.value)} ${figure.unit}`,
    figure.baseline === undefined ? "" : `${number(figure.baseline)} ${figure.unit}`,
    figure.ratio === undefined ? "" : `× ${figure.ratio.toFixed(2)}`,
    spreadText(figure),
    figure.goal ?? "",
    verdictText(figure)
  ])
  const lines = [["figure", "measured", "baseline", "ratio", "spread", "goal", ""], ...rows]
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd()
  )
  return [`${made.scenario}  (${made.machine}; revision ${made.revision})`, ...text, ...(made.notes ?? [])].join("\n")
}

/** Whether every goal holds. */
export const allHold = (made: Report): boolean => made.figures.every((figure) => figure.holds !== false)

/** A run as it is written: one object, also for several scenarios. */
export interface Written {
  /** Names joined by `+`. */
  readonly scenario: string
  readonly machine: string
  readonly revision: string
  readonly figures: ReadonlyArray<Omit<Figure, "spread" | "margin">>
}

/** What `--json` writes. */
export const written = (made: ReadonlyArray<Report>): Written => ({
  scenario: made.map(({ scenario }) => scenario).join("+"),
  machine: made[0]?.machine ?? machine(),
  revision: made[0]?.revision ?? revision(),
  figures: made.flatMap(({ figures }) => figures.map(({ spread: _, margin: __, ...figure }) => figure))
})

/** Writes a run, one JSON object, to a file. */
export const write = (made: ReadonlyArray<Report>, file: string): void =>
  writeFileSync(file, `${JSON.stringify(written(made), null, 2)}\n`)
