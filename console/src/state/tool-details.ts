/** What a tool call shows when it is opened: changes of files, its input and output. Pure; owns its bounds. */
import { toolBlocksMax, toolCharsMax } from "../limits.ts"

/** One part of it. */
export type ToolBlock =
  | { readonly kind: "text"; readonly label: string; readonly text: string }
  /** `before` null: the file is new. */
  | { readonly kind: "diff"; readonly path: string; readonly before: string | null; readonly after: string }

/** One line of a change. */
export interface DiffLine {
  readonly mark: " " | "+" | "-"
  readonly text: string
}

const members = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
const text = (value: unknown): string => (typeof value === "string" ? value : "")
const cut = (value: string): string =>
  value.length > toolCharsMax
    ? `${value.slice(0, toolCharsMax)}\n… ${value.length - toolCharsMax} characters more`
    : value

const ofContent = (value: unknown): ReadonlyArray<ToolBlock> => {
  const { type, content, path, oldText, newText } = members(value)
  if (type === "diff")
    return [
      {
        kind: "diff",
        path: text(path),
        before: typeof oldText === "string" ? cut(oldText) : null,
        after: cut(text(newText))
      }
    ]
  const said = text(members(content)["text"])
  return said === "" ? [] : [{ kind: "text", label: "Output", text: cut(said) }]
}

const ofRaw = (label: string, value: unknown): ReadonlyArray<ToolBlock> => {
  if (value === undefined || value === null) return []
  return [{ kind: "text", label, text: cut(typeof value === "string" ? value : JSON.stringify(value, null, 2)) }]
}

/** The parts that an event of a tool call brings; undefined where it brings none. */
export const toolBlocks = (event: Readonly<Record<string, unknown>>): ReadonlyArray<ToolBlock> | undefined => {
  const { content, rawInput, rawOutput } = event
  const shown = Array.isArray(content) ? content.slice(0, toolBlocksMax).flatMap(ofContent) : []
  // what the agent gave to be shown says more than what went in and out
  const raw = shown.length > 0 ? [] : [...ofRaw("Input", rawInput), ...ofRaw("Output", rawOutput)]
  const blocks = [...shown, ...raw]
  return blocks.length === 0 ? undefined : blocks
}

const contextLines = 3

/** The changed lines between what both begin and end with, and a few lines of these. */
export const diffLines = (before: string | null, after: string): ReadonlyArray<DiffLine> => {
  const from = before === null ? [] : before.split("\n")
  const to = after.split("\n")
  let head = 0
  while (head < from.length && head < to.length && from[head] === to[head]) head++
  let tail = 0
  const most = Math.min(from.length, to.length) - head
  while (tail < most && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail++
  const marked = (mark: DiffLine["mark"], lines: ReadonlyArray<string>) => lines.map((line) => ({ mark, text: line }))
  return [
    ...marked(" ", to.slice(Math.max(0, head - contextLines), head)),
    ...marked("-", from.slice(head, from.length - tail)),
    ...marked("+", to.slice(head, to.length - tail)),
    ...marked(" ", to.slice(to.length - tail, to.length - tail + contextLines))
  ]
}
