/** Answers as a person reads them. Owns the words and columns; `--json` never comes through here. */

type Row = Readonly<Record<string, unknown>>

const cell = (value: unknown): string => {
  if (value === undefined || value === null || value === "") return "-"
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.join(",")
  return String(value)
}

const table = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)))
  return lines.map((line) =>
    line
      .map((text, at) => text.padEnd(widths[at]!))
      .join("  ")
      .trimEnd()
  )
}

/** An answer as lines: a list as a table, anything else as one member a line. */
export const render = (answer: Row): ReadonlyArray<string> =>
  Object.entries(answer).flatMap(([name, value]) => {
    if (!Array.isArray(value) || value.some((row) => typeof row !== "object")) return [`${name}  ${cell(value)}`]
    return value.length === 0 ? [`no ${name}`] : table(value as ReadonlyArray<Row>)
  })
