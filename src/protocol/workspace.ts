/**
 * A workspace as daemons write it: a text that is a path or a name, or an object with a path and a name or a label.
 * Owns the one form that all of these are read into; src/domain/daemon/workspace.ts chooses the name to show.
 */
import { Schema } from "effect"
import type { Tolerance } from "./tolerant.ts"
import { wireKey } from "./wire-key.ts"

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const lastOf = (path: string): string =>
  path
    .split(/[\\/]/u)
    .filter((part) => part !== "")
    .at(-1) ?? path

/** The one form, as far as it can be made; what cannot is told when that form is read. */
const workspaceForm = (given: unknown): unknown => {
  const word = text(given)
  if (word !== undefined) return /[\\/]/u.test(word) ? { name: lastOf(word), path: word } : { name: word }
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given
  const { name, label, path } = given as Readonly<Record<string, unknown>>
  const folder = text(path)
  const called = text(name) ?? text(label) ?? (folder === undefined ? name : lastOf(folder))
  return { name: called === "" ? undefined : called, path: path === "" ? undefined : path }
}

const tolerance: Tolerance = { expected: "a text or an object", oneForm: workspaceForm }
const Text = Schema.String.annotate({ expected: "a text" } satisfies Tolerance)

const written = {
  anyOf: [
    { type: "string", minLength: 1 },
    {
      type: "object",
      properties: { name: { type: "string" }, label: { type: "string" }, path: { type: "string" } },
      minProperties: 1
    }
  ]
}

/** A folder an agent works in, as it is read. */
export const WorkspaceReport = Schema.Struct({ name: Text, path: Schema.optionalKey(Text) }).annotate({
  ...tolerance,
  identifier: "Workspace",
  [wireKey]: written
})
export type WorkspaceReport = typeof WorkspaceReport.Type
