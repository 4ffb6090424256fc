/**
 * The script that installs the daemon, for one hub and release. Owns what is filled in, and which address of this hub
 * may stand in a script; install.sh has the words.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { DaemonRelease } from "../../src/runtime/daemon-release.ts"

const template = readFileSync(fileURLToPath(new URL("install.sh", import.meta.url)), "utf8")

/** `hub`: its address, of which ownAddress has made sure that it may stand in single quotes. */
export const installScript = (hub: string, { version, sha256, minNode }: DaemonRelease): string => {
  const values: Readonly<Record<string, string>> = { hub, version, sha256, minNode }
  return template.replaceAll(/\{\{(\w+)\}\}/gu, (_, name: string) => values[name] ?? "")
}

/** A host and port as a shell's word holds them: nothing else of a request may stand in a script. */
const plainHost = /^(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:]+\])(?::\d{1,5})?$/iu

/** A setting that may hold what ends a shell's word, a line break, or credentials. */
const plainUrl = (url: string): string => {
  const { origin, pathname } = new URL(url)
  return (origin + pathname).replaceAll("'", "%27").replace(/\/+$/u, "")
}

/**
 * Where this hub is: as it was told, otherwise as it was called. Undefined: it cannot be said in a script.
 * `publicUrl`: the setting; `host`: the header of the request.
 */
export const ownAddress = (
  publicUrl: string | undefined,
  isTls: boolean,
  host: string | undefined
): string | undefined => {
  if (publicUrl !== undefined) return plainUrl(publicUrl)
  return host !== undefined && plainHost.test(host) ? `http${isTls ? "s" : ""}://${host}` : undefined
}
