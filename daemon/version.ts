/** The version of this daemon. Owns where it is from: a build knows its own, the sources have the project's. */
import { readFileSync } from "node:fs"

const ofSources = (): string => {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8")
  return (JSON.parse(text) as { readonly version: string }).version
}

/** As the hub is told it. */
export const version = process.env["HUB_DAEMON_VERSION"] ?? ofSources()
