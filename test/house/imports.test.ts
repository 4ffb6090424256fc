/** Who may import whom. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "../support/root.ts"
import { type HouseFile, houseFiles, imports, place, target } from "./project-files.ts"

/** The composition root: it alone may import from everywhere, and only the entry imports it. */
const entry = "src/main.ts"
const isComposition = (path: string): boolean => path === entry || path.startsWith("src/hub/")

/** What each folder may import from, beside itself. */
const below: Readonly<Record<string, ReadonlyArray<string>>> = {
  src: [],
  actors: ["src"],
  http: ["src", "actors"],
  client: [],
  build: ["console", "daemon", "integrator"],
  daemon: [
    "build",
    "client",
    "src/protocol",
    "src/domain/policy",
    "src/domain/redaction",
    "src/domain/text/truncate.ts",
    "src/runtime/escape.ts",
    "src/cli/arguments.ts"
  ],
  integrator: [
    "build",
    "client",
    "src/cli/integrator-words.ts",
    "src/cli/points-in-time.ts",
    "src/domain/text/edit-distance.ts",
    "src/cli/arguments.ts",
    "src/domain/event/events.ts",
    "src/domain/text/truncate.ts",
    "src/domain/webhook/signature.ts",
    "src/limits/delivery.ts",
    "src/runtime/escape.ts"
  ],
  console: ["build", "client"],
  publisher: ["client", "src/runtime/escape.ts", "src/cli/arguments.ts"],
  bench: ["src", "actors", "http", "client", "daemon", "test"],
  test: ["src", "actors", "http", "client", "daemon", "integrator", "publisher", "console", "bench", "build"]
}

const folderOf = (path: string): string => path.split("/")[0]!
const relations = (file: HouseFile) =>
  imports(file).map((one) => ({ ...one, file, to: target(file, one.from), at: place(file, one.index, one.from) }))
const all = houseFiles.flatMap(relations)

describe("imports", () => {
  it("point downwards only: bench, test and daemon, then http, then actors, then src", () => {
    const wrong = all.filter(({ file, to }) => {
      if (to === undefined || isComposition(file.path) || !(folderOf(file.path) in below)) return false
      const own = folderOf(file.path)
      return folderOf(to) !== own && !below[own]!.some((folder) => to === folder || to.startsWith(`${folder}/`))
    })
    expect(wrong.map(({ at }) => at)).toEqual([])
  })

  it("never reach the composition root", () => {
    const reaching = all.filter(
      ({ to, file }) =>
        to === entry ||
        (to !== undefined && isComposition(to) && !isComposition(file.path) && !/^(?:test|bench)\//u.test(file.path))
    )
    expect(reaching.map(({ at }) => at)).toEqual([])
  })

  it("name uWebSockets.js in http/native only", () => {
    // The bench measures bare uWebSockets.js beside the hub.
    const native = "http/native/"
    expect(
      all
        .filter(
          ({ from, file }) =>
            from === "uWebSockets.js" && !file.path.startsWith(native) && folderOf(file.path) !== "bench"
        )
        .map(({ at }) => at)
    ).toEqual([])
  })

  it("leave test and bench out of what runs", () => {
    const wrong = all.filter(({ file, to }) => {
      const own = folderOf(file.path)
      return (
        ["src", "actors", "http"].includes(own) &&
        !isComposition(file.path) &&
        ["test", "bench"].includes(folderOf(to ?? ""))
      )
    })
    expect(wrong.map(({ at }) => at)).toEqual([])
  })

  it("end in .ts or .tsx and find their file", () => {
    // clients that the tests of the contract generate before they compile its programs
    const isMade = (to: string): boolean => to.startsWith("test/contract/generated/")
    const found = (to: string): boolean => /\.tsx?$/u.test(to) && (isMade(to) || existsSync(join(root, to)))
    const lost = all.filter(({ to }) => to !== undefined && !found(to))
    expect(lost.filter(({ to }) => !/\.(json|mjs|css)$/u.test(to!)).map(({ at }) => at)).toEqual([])
  })

  it("form no circle, types included", () => {
    const graph = new Map<string, Array<string>>(houseFiles.map(({ path }) => [path, []]))
    for (const { file, to } of all) if (to !== undefined && graph.has(to)) graph.get(file.path)!.push(to)
    expect(circles(graph)).toEqual([])
  })
})

/** Groups of files each of which reaches all others of it (Tarjan's strongly connected components). */
function circles(graph: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: Array<string> = []
  const found: Array<ReadonlyArray<string>> = []
  const visit = (at: string): void => {
    order.set(at, order.size)
    lowest.set(at, order.get(at)!)
    open.push(at)
    for (const to of graph.get(at)!) {
      if (!order.has(to)) visit(to)
      if (open.includes(to)) lowest.set(at, Math.min(lowest.get(at)!, lowest.get(to)!))
    }
    if (lowest.get(at) !== order.get(at)) return
    const group = open.splice(open.indexOf(at))
    if (group.length > 1) found.push(group.sort())
  }
  for (const at of graph.keys()) if (!order.has(at)) visit(at)
  return found
}
