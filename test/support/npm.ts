/** Runs npm in a test: the one that the wrapper brought, else that of the system. Owns how it is called. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { root } from "./source-files.ts"

const npm = (): readonly [command: string, ...args: ReadonlyArray<string>] => {
  const brought = join(root, ".node/node_modules/npm/bin/npm-cli.js")
  return existsSync(brought) ? [process.execPath, brought] : ["npm"]
}

/** Runs npm in a folder, without scripts and without anything that asks the network unbidden. */
export const runNpm = (
  folder: string,
  args: ReadonlyArray<string>
): { readonly status: number | null; readonly error?: Error } => {
  const [command, ...before] = npm()
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
  return spawnSync(command, [...before, ...args, ...options], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
}
