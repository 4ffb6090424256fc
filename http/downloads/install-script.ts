/** The script that installs the daemon, for one hub and release. Owns what is filled in; install.sh has the words. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { DaemonRelease } from "../../src/runtime/daemon-release.ts"

const template = readFileSync(fileURLToPath(new URL("install.sh", import.meta.url)), "utf8")

/** `hub`: its address, of which ownAddress has made sure that it may stand in single quotes. */
export const installScript = (hub: string, { version, sha256, minNode }: DaemonRelease): string => {
  const values: Readonly<Record<string, string>> = { hub, version, sha256, minNode }
  return template.replaceAll(/\{\{(\w+)\}\}/gu, (_, name: string) => values[name] ?? "")
}
