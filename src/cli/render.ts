/** Answers as a person reads them, and as one JSON object: a page at a time. Owns the words and columns. */
import { plain, plainJson } from "../runtime/escape.ts"

type Row = Readonly<Record<string, unknown>>

/** Makes the text of the pages of one answer, in their order. */
export type Rendering = (page: Row, last: boolean) => string

/** How much there is of what a plan allows; null: it sets no end. */
const isHeld = (value: unknown): value is { readonly used: number; readonly max: number | null } =>
  typeof value === "object" && value !== null && "used" in value && "max" in value

const cell = (value: unknown): string => {
  if (value === undefined || value === null || value === "") return "-"
  if (Array.isArray(value)) return value.length === 0 ? "-" : plain(value.join(","))
  if (isHeld(value)) return `${value.used} of ${value.max ?? "any number"}`
  return plain(String(value))
}

const lines = (all: ReadonlyArray<string>): string => all.map((line) => `${line}\n`).join("")

/** The list that an answer is, under its name; undefined when it is something else. */
const listOf = (answer: Row): readonly [name: string, rows: ReadonlyArray<Row>] | undefined => {
  const [[name, value] = ["", undefined], ...more] = Object.entries(answer)
  const isList = more.length === 0 && Array.isArray(value) && value.every((row) => typeof row === "object")
  return isList ? [name, value as ReadonlyArray<Row>] : undefined
}

interface Table {
  readonly columns: ReadonlyArray<string>
  readonly widths: ReadonlyArray<number>
}

const cells = (rows: ReadonlyArray<Row>, columns: ReadonlyArray<string>) =>
  rows.map((row) => columns.map((column) => cell(row[column])))

/** Columns as wide as these rows need. */
const tableOf = (rows: ReadonlyArray<Row>): Table => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const all = [columns, ...cells(rows, columns)]
  return { columns, widths: columns.map((_, at) => Math.max(...all.map((line) => line[at]!.length))) }
}

const aligned = (all: ReadonlyArray<ReadonlyArray<string>>, { widths }: Table): string =>
  lines(
    all.map((line) =>
      line
        .map((text, at) => text.padEnd(widths[at]!))
        .join("  ")
        .trimEnd()
    )
  )

/** For a person: a list as a table, whose columns fit its first page; anything else as one member per line. */
export const asTable = (): Rendering => {
  let table: Table | undefined
  return (page, last) => {
    const list = listOf(page)
    if (list === undefined)
      return last ? lines(Object.entries(page).map(([name, value]) => `${name}  ${cell(value)}`)) : ""
    const [name, rows] = list
    if (rows.length === 0) return last && table === undefined ? `no ${name}\n` : ""
    const head = table === undefined
    table ??= tableOf(rows)
    return aligned([...(head ? [table.columns] : []), ...cells(rows, table.columns)], table)
  }
}

const safely = (value: unknown): string => plainJson(JSON.stringify(value))

/** Each row of a list as one JSON object per line. */
export const asJsonLines = (): Rendering => (page) => lines((listOf(page)?.[1] ?? []).map(safely))

/** Exactly one JSON object, however many pages it comes in. */
export const asJson = (): Rendering => {
  let begun = false
  let rowsBefore = false
  return (page, last) => {
    const list = listOf(page)
    if (list === undefined) return last ? `${safely(page)}\n` : ""
    const [name, rows] = list
    const text = [
      begun ? "" : `{${safely(name)}:[`,
      rowsBefore && rows.length > 0 ? "," : "",
      rows.map(safely).join(","),
      last ? "]}\n" : ""
    ].join("")
    begun = true
    rowsBefore ||= rows.length > 0
    return text
  }
}
