/**
 * Names the sources in the stacks of the built hub's errors. Owns their source maps, each read when a stack first needs
 * it: read at the start (`--enable-source-maps`), they hold 40 MB.
 */
import { readFileSync } from "node:fs"
import { SourceMap } from "node:module"

const place = /(file:\/\/[^\s()]+\.mjs):(\d+):(\d+)/gu
const maps = new Map<string, SourceMap | undefined>()

const mapOf = (file: string): SourceMap | undefined => {
  if (maps.has(file)) return maps.get(file)
  let map: SourceMap | undefined
  try {
    map = new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), "utf8")))
  } catch {
    // built anew meanwhile: its places stay those of the built file
  }
  maps.set(file, map)
  return map
}

const sourceOf = (built: string, file: string, line: string, column: string): string => {
  const origin = mapOf(file)?.findOrigin(Number(line), Number(column))
  if (origin === undefined || !("fileName" in origin)) return built
  return `${new URL(origin.fileName, file)}:${origin.lineNumber}:${origin.columnNumber}`
}

const headOf = (error: Error): string => {
  try {
    return String(error)
  } catch {
    return "an error without words"
  }
}

const lineOf = (site: NodeJS.CallSite): string => `    at ${site}`

// Effect makes some to learn how stacks look here: maps that are read for them are 20 ms of each start
const isProbe = (error: Error): boolean => error.message === ""

Error.prepareStackTrace = (error, sites) => {
  const lines = sites.map(lineOf)
  return [headOf(error), ...(isProbe(error) ? lines : lines.map((line) => line.replace(place, sourceOf)))].join("\n")
}
