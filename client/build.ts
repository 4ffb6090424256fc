/**
 * Builds the package as it is published: JavaScript with its types, in client/dist; `npm pack ./client/dist` packs it.
 * Owns dist; changes nothing else.
 */
import { execFileSync } from "node:child_process"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const folder = dirname(fileURLToPath(import.meta.url))
const dist = join(folder, "dist")
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")

rmSync(dist, { recursive: true, force: true })
execFileSync(process.execPath, [compiler, "-p", join(folder, "tsconfig.build.json")], { stdio: "inherit" })
const given = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>
const entry = (name: string) => ({ types: `./${name}.d.ts`, default: `./${name}.js` })
const published = { ...given, exports: { ".": entry("index"), "./effect": entry("effect") } }
writeFileSync(join(dist, "package.json"), `${JSON.stringify(published, null, 2)}\n`)
cpSync(join(folder, "README.md"), join(dist, "README.md"))
