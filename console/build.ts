/**
 * Builds the console into console/dist, where its sources have changed since the last build. Owns dist. A build that
 * fails is only said: the hub starts without its console.
 */
import { hash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const folder = dirname(fileURLToPath(import.meta.url))
const root = dirname(folder)
const dist = join(folder, "dist")
const stamp = join(dist, ".sources")

const filesOf = (path: string): ReadonlyArray<string> =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

/** The hash of everything that the bundle is made of. */
const hashOfSources = (): string => {
  const files = [
    ...filesOf(join(folder, "src")),
    ...filesOf(join(root, "client/src")),
    join(folder, "build.ts"),
    join(folder, "index.html"),
    join(folder, "vite.config.ts"),
    join(root, "package-lock.json")
  ]
  return hash("sha256", files.map((file) => `${file.slice(root.length)}\n${readFileSync(file, "utf8")}`).join("\n"))
}

/** Takes one folder's name for another's; false where the first is gone, or the other is there. */
const renamed = (from: string, to: string): boolean => {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (["ENOENT", "ENOTEMPTY", "EEXIST"].includes(String((error as NodeJS.ErrnoException).code))) return false
    throw error
  }
}

/**
 * Builds beside dist and changes over by renaming: two starts at once, or one that is interrupted, leave no half of a
 * bundle. Where another was first its bundle is as good.
 */
const build = async (sources: string): Promise<void> => {
  if (process.stderr.isTTY) process.stderr.write("hub: building the console\n")
  // a test's own environment would make a bundle for development
  process.env["NODE_ENV"] = "production"
  const vite = await import("vite")
  const draft = join(folder, `dist.${process.pid}`)
  const before = `${draft}.before`
  try {
    mkdirSync(draft, { recursive: true })
    await vite.build({ root: folder, configFile: join(folder, "vite.config.ts"), build: { outDir: draft } })
    writeFileSync(join(draft, ".sources"), sources)
    renamed(dist, before)
    renamed(draft, dist)
  } finally {
    for (const path of [draft, before]) rmSync(path, { recursive: true, force: true })
  }
}

try {
  const sources = hashOfSources()
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== sources) await build(sources)
} catch (error) {
  process.stderr.write(`hub: the console was not built: ${error instanceof Error ? error.message : String(error)}\n`)
}
