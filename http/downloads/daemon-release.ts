/** The daemon that daemon/build.ts has made, in memory. Owns its reading and its addresses; builds nothing. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export interface DaemonRelease {
  readonly version: string
  readonly sha256: string
  /** The oldest Node that runs it. */
  readonly minNode: string
  readonly program: Uint8Array
}

const builtFolder = fileURLToPath(new URL("../../daemon/dist/", import.meta.url))

/** Reads it; undefined where it has not been built. */
export const readDaemonRelease = (folder = builtFolder): DaemonRelease | undefined => {
  try {
    const facts = JSON.parse(readFileSync(`${folder}/release.json`, "utf8")) as Omit<DaemonRelease, "program">
    return { ...facts, program: readFileSync(`${folder}/hub-daemon.mjs`) }
  } catch {
    return undefined
  }
}

/** The path of its program: another program has another one. */
export const programPath = ({ sha256 }: Pick<DaemonRelease, "sha256">): string => `/daemon/${sha256}/hub-daemon.mjs`

/** A host and port as a shell's word holds them: nothing else of a request may stand in a script. */
const plainHost = /^(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:]+\])(?::\d{1,5})?$/iu

/**
 * Where this hub is: as it was told, otherwise as it was called. Undefined: it cannot be said in a script.
 * `publicUrl`: the setting; `host`: the header of the request.
 */
export const ownAddress = (
  publicUrl: string | undefined,
  isTls: boolean,
  host: string | undefined
): string | undefined => {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/u, "")
  return host !== undefined && plainHost.test(host) ? `http${isTls ? "s" : ""}://${host}` : undefined
}
