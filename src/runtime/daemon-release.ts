/**
 * The daemon that daemon/build.ts has made beside this hub, in memory. Owns its reading, at the first call that finds
 * it, and the path where it is served; builds nothing.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Context } from "effect"

export interface DaemonRelease {
  readonly version: string
  readonly sha256: string
  /** The oldest Node that runs it. */
  readonly minNode: string
  readonly program: Uint8Array
}

const builtFolder = fileURLToPath(new URL("../../daemon/dist/", import.meta.url))

/** Reads it; undefined where it has not been built. */
const readDaemonRelease = (folder = builtFolder): DaemonRelease | undefined => {
  try {
    const facts = JSON.parse(readFileSync(`${folder}/release.json`, "utf8")) as Omit<DaemonRelease, "program">
    return { ...facts, program: readFileSync(`${folder}/hub-daemon.mjs`) }
  } catch {
    return undefined
  }
}

/** The path of its program: another program has another one. */
export const programPath = ({ sha256 }: Pick<DaemonRelease, "sha256">): string => `/daemon/${sha256}/hub-daemon.mjs`

/** The release that this hub serves; undefined where there is none yet. */
export const ServedRelease = Context.Reference<() => DaemonRelease | undefined>("hub/ServedRelease", {
  defaultValue: () => {
    let known: DaemonRelease | undefined
    return () => {
      known ??= readDaemonRelease()
      return known
    }
  }
})
