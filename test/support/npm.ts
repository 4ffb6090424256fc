/** Runs npm in a test: the one that the wrapper brought, else that of the system. Owns how it is called. */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { root } from "./root.ts"

const npm = (): readonly [command: string, ...args: ReadonlyArray<string>] => {
  const brought = join(root, ".node/node_modules/npm/bin/npm-cli.js")
  return existsSync(brought) ? [process.execPath, brought] : ["npm"]
}

/** Runs a script of the project's package.json, and gives what it prints. */
export const runScript = (name: string): string => {
  const [command, ...before] = npm()
  // a script finds the npm that runs it, and the Node of this process, first
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` }
  const words = [...before, "run", "--silent", name]
  return execFileSync(command, words, { cwd: root, encoding: "utf8", env, maxBuffer: 16 * 1_048_576 })
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
