/** A session's workspace, as daemons variously report it. Owns its reading into a name and a path. */
import type { SessionReport } from "../protocol/frames.ts"

/** A folder an agent works in, as the API shows it. */
export interface Workspace {
  readonly name: string
  readonly path?: string
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const lastOf = (path: string): string =>
  path
    .split(/[\\/]/u)
    .filter((part) => part !== "")
    .at(-1) ?? path

/** The workspace of a session: an object with a name or a path, or one word that is either. */
export const workspaceOf = (session: SessionReport | undefined): Workspace | null => {
  const given = session?.workspace
  if (typeof given === "object" && given !== null) {
    const { name, path } = given as { readonly name?: unknown; readonly path?: unknown }
    const folder = text(path)
    const called = text(name) ?? (folder === undefined ? undefined : lastOf(folder))
    if (called === undefined) return null
    return folder === undefined ? { name: called } : { name: called, path: folder }
  }
  const word = text(given)
  if (word === undefined) return null
  return /[\\/]/u.test(word) ? { name: lastOf(word), path: word } : { name: word }
}
