/**
 * Other runtimes of JavaScript than Node, from the packages of the outside tools. Owns where their programs lie and how
 * each is called; what runs in them is the tests'.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { toolsFolder } from "./outside-tools.ts"

/** Each is a package that names one package per platform, in which its program lies; installed are those that fit. */
const runtimes = {
  deno: { manifest: "node_modules/deno/package.json", program: "deno" },
  bun: { manifest: "node_modules/bun/package.json", program: "bin/bun" }
} as const

/** A runtime that the client promises to run in. */
export type Runtime = "node" | keyof typeof runtimes

/** What a program may do, where a runtime asks: call a hub on this machine. */
const words: Readonly<Record<Runtime, ReadonlyArray<string>>> = {
  node: [],
  deno: ["run", "--no-config", "--no-lock", "--no-remote", "--node-modules-dir=manual", "--allow-net=127.0.0.1"],
  bun: ["run", "--no-install"]
}

/** The program of a runtime; undefined where there is none for this machine. */
export const programOf = (runtime: Runtime): string | undefined => {
  if (runtime === "node") return process.execPath
  const { manifest, program } = runtimes[runtime]
  const file = join(toolsFolder, manifest)
  if (!existsSync(file)) return undefined
  const { optionalDependencies } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly optionalDependencies: Readonly<Record<string, string>>
  }
  return (
    Object.keys(optionalDependencies)
      .map((name) => join(toolsFolder, "node_modules", name, program))
      // one for another C library may lie there, too
      .find((path) => existsSync(path) && spawnSync(path, ["--version"]).status === 0)
  )
}

/** Starts a file in a runtime, with nothing of this process's environment; its caches are kept in the folder. */
export const startIn = (runtime: Runtime, file: string, args: ReadonlyArray<string>, folder: string): ChildProcess => {
  const program = programOf(runtime)
  if (program === undefined) throw new Error(`there is no ${runtime} for this machine`)
  const env = { DENO_DIR: join(folder, ".deno"), DENO_NO_UPDATE_CHECK: "1", BUN_INSTALL: join(folder, ".bun") }
  return spawn(program, [...words[runtime], file, ...args], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] })
}
