/**
 * A run as a page: the table of figures and a chart for each curve, one file without a script that opens without a
 * network. Owns the drawing.
 */
import { type Figure, type Report, type Series, spreadText, verdictText } from "./figures.ts"

const width = 720
const height = 260
const margin = { left: 64, right: 16, top: 16, bottom: 36 }
const inks = ["#2563eb", "#d97706", "#059669", "#db2777"]
const ticks = 5

const escaped = (text: string): string => text.replace(/[&<>"]/gu, (sign) => `&#${sign.charCodeAt(0)};`)

const short = (value: number): string =>
  Math.abs(value) >= 1_000
    ? Math.round(value).toLocaleString("en-US")
    : Number.isInteger(value)
      ? String(value)
      : String(Number(value.toPrecision(3)))

/** The percentiles of a latency curve lie evenly by how rare what is beyond them is: 90, 99, 99.9. */
const rarity = (share: number): number => -Math.log10(Math.max(1e-4, 1 - share / 100))

const chart = (series: Series): string => {
  const byRarity = series.x === "percentile"
  const across = (x: number): number => (byRarity ? rarity(x) : x)
  const points = series.lines.flatMap((line) => line.points)
  if (points.length === 0) return ""
  const xs = points.map(([x]) => across(x))
  const [least, most] = [Math.min(...xs), Math.max(...xs)]
  const top = Math.max(...points.map(([, y]) => y), 1e-9) * 1.05
  const right = (x: number): number =>
    margin.left + ((across(x) - least) / (most - least || 1)) * (width - margin.left - margin.right)
  const down = (y: number): number => height - margin.bottom - (y / top) * (height - margin.top - margin.bottom)
  const rows = Array.from({ length: ticks }, (_, at) => (top * at) / (ticks - 1)).map(
    (y) =>
      `<line x1="${margin.left}" x2="${width - margin.right}" y1="${down(y)}" y2="${down(y)}" class="grid"/>` +
      `<text x="${margin.left - 6}" y="${down(y) + 4}" text-anchor="end">${short(y)}</text>`
  )
  const marks = byRarity
    ? [50, 90, 99, 99.9]
    : Array.from({ length: ticks }, (_, at) => least + ((most - least) * at) / (ticks - 1))
  const columns = marks.map(
    (x) => `<text x="${right(x)}" y="${height - 18}" text-anchor="middle">${short(x)}${byRarity ? " %" : ""}</text>`
  )
  const lines = series.lines.map(({ name, points: own }, at) => {
    const path = own.map(([x, y]) => `${right(x).toFixed(1)},${down(y).toFixed(1)}`).join(" ")
    const ink = inks[at % inks.length]
    // a line of one point would not be seen
    const dots = own.length === 1 ? own : []
    return (
      dots.map(([x, y]) => `<circle cx="${right(x)}" cy="${down(y)}" r="3" fill="${ink}"/>`).join("") +
      `<polyline points="${path}" fill="none" stroke="${ink}" stroke-width="2"/>` +
      `<text x="${margin.left + 8 + at * 120}" y="12" fill="${ink}">${escaped(name)}</text>`
    )
  })
  const caption = `<text x="${width / 2}" y="${height - 2}" text-anchor="middle">${escaped(series.x)}</text>`
  return (
    `<figure><figcaption>${escaped(series.title)} (${escaped(series.y)})</figcaption>` +
    `<svg viewBox="0 0 ${width} ${height}" role="img">${[...rows, ...columns, ...lines, caption].join("")}</svg></figure>`
  )
}

/** A bar for a ratio: how far towards its goal, or past it. */
const bar = ({ ratio, goal, holds }: Figure): string => {
  const bound = Number(/[\d.]+$/u.exec(goal ?? "")?.[0])
  if (ratio === undefined || !(bound > 0)) return ""
  const full = Math.max(ratio, bound) * 1.1
  return (
    `<svg viewBox="0 0 200 14" width="200" height="14"><rect width="${(ratio / full) * 200}" height="14" ` +
    `fill="${holds === false ? "#dc2626" : "#059669"}"/><rect x="${(bound / full) * 200}" width="2" height="14" fill="#111"/></svg>`
  )
}

const row = (figure: Figure): string => {
  const cells = [
    escaped(figure.name),
    `${short(figure.value)} ${escaped(figure.unit)}`,
    figure.baseline === undefined ? "" : `${short(figure.baseline)} ${escaped(figure.unit)}`,
    figure.ratio === undefined ? "" : figure.ratio.toFixed(2),
    spreadText(figure),
    escaped(figure.goal ?? ""),
    figure.holds === false ? "<b>missed</b>" : verdictText(figure),
    bar(figure)
  ]
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`
}

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:1120px;margin:2rem auto;padding:0 1rem;color:#111}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}td,th{white-space:nowrap;padding:.25rem .6rem;border-bottom:1px solid #ddd;text-align:left}
svg text{font:11px system-ui,sans-serif}.grid{stroke:#e5e5e5}figure{margin:2rem 0}figure svg{max-width:100%}b{color:#dc2626}`

/** The page. */
export const page = (reports: ReadonlyArray<Report>): string => {
  const heads = ["figure", "measured", "baseline", "ratio", "spread", "goal", "", ""].map((head) => `<th>${head}</th>`)
  const parts = reports.map(
    (made) =>
      `<h2>${escaped(made.scenario)}</h2><div class="wide"><table><tr>${heads.join("")}</tr>${made.figures.map(row).join("")}</table></div>` +
      (made.notes ?? []).map((note) => `<p>${escaped(note)}</p>`).join("") +
      (made.series ?? []).map(chart).join("")
  )
  const first = reports[0]
  const where = first === undefined ? "" : `${first.machine}; revision ${first.revision}`
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>hub bench</title><style>${style}</style>` +
    `<h1>hub bench</h1><p>${escaped(where)}</p>${parts.join("")}</html>\n`
  )
}
