/**
 * What a tool call of the Agent Client Protocol asks for, as subjects of rules. Owns where agents say it: all that a
 * call shows counts, whatever kind it says it is. Pure.
 */
import { subjectsMax } from "../../limits/policies.ts"
import { isRecord } from "../../protocol/is-record.ts"
import type { Subject } from "./decide.ts"
import { type Action, actions } from "./rule.ts"

/** Of a tool call what is read; nothing of it is sure to be there. */
export interface AskedTool {
  readonly kind?: unknown
  readonly title?: unknown
  readonly rawInput?: unknown
  readonly locations?: unknown
  readonly content?: unknown
}

const lineMembers = ["command", "cmd", "commandLine", "command_line", "script", "shell_command", "commands"]
const pathMembers = [
  "path",
  "file_path",
  "filePath",
  "abs_path",
  "absolute_path",
  "filename",
  "file",
  "paths",
  "notebook_path",
  "directory",
  "dir",
  "source",
  "destination",
  "old_path",
  "new_path"
]
/** Words of a command that stand apart from its name. */
const argumentMembers = ["args", "arguments", "argv"]
const folderMembers = ["cwd", "workdir", "working_directory", "workingDirectory", "work_dir"]
const addressMembers = ["url", "uri", "urls"]
const ofFiles: ReadonlySet<Action> = new Set(["read", "edit", "delete", "move", "search"])

const texts = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" ? [value] : Array.isArray(value) ? value.filter((one) => typeof one === "string") : []

const within = (input: unknown, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  isRecord(input) ? names.flatMap((name) => texts(input[name])) : []

const quoted = (word: string): string => (/^[\w./=:@%+-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** Shell lines: a text, or the words of one command. */
const linesOf = (input: unknown): ReadonlyArray<string> =>
  isRecord(input)
    ? lineMembers.flatMap((name) => {
        const value = input[name]
        if (name === "commands") return texts(value)
        const line = Array.isArray(value) ? [texts(value).map(quoted).join(" ")] : texts(value)
        return line.map((text) => [text, ...within(input, argumentMembers).map(quoted)].join(" "))
      })
    : typeof input === "string"
      ? [input]
      : []

const listed = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.filter(isRecord) : []

const kindOf = (kind: unknown): Action => actions.find((action) => action === kind) ?? "other"

/** What a call asks for. More than rules take: all of it, and no rule allows it. */
export const subjectsOf = ({ kind, title, rawInput, locations, content }: AskedTool): ReadonlyArray<Subject> => {
  const action = kindOf(kind)
  const hint = typeof title === "string" ? title : undefined
  const lines = action === "execute" || isRecord(rawInput) ? linesOf(rawInput) : []
  const changed = listed(content).flatMap(({ type, path }) => (type === "diff" ? texts(path) : []))
  const paths = [...listed(locations).flatMap(({ path }) => texts(path)), ...within(rawInput, pathMembers)]
  const [folder] = within(rawInput, folderMembers)
  const place = folder !== undefined && { folder }
  const subjects: Array<Subject> = [
    ...lines.map((resource) => ({ action: "execute" as const, resource, ...place })),
    ...changed.map((resource) => ({ action: "edit" as const, resource })),
    ...within(rawInput, addressMembers).map((resource) => ({ action: "fetch" as const, resource }))
  ]
  if (ofFiles.has(action)) subjects.push(...paths.map((resource) => ({ action, resource })))
  if (!subjects.some((subject) => subject.action === action)) {
    // the words of a command or of a file are no sure account of it; a tool of another kind has no other name
    const isNamed = action === "other" || action === "think" || action === "switch_mode"
    subjects.push(isNamed ? { action, resource: hint } : { action, resource: undefined, hint })
  }
  return subjects.slice(0, subjectsMax + 1)
}
