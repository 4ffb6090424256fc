/** Who may import whom. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type HouseFile, houseFiles, imports, place, root, target } from "../../support/house.ts"

const composition = "src/main.ts"

/** What each folder may import from, beside itself. */
const below: Readonly<Record<string, ReadonlyArray<string>>> = {
  src: [],
  actors: ["src"],
  http: ["src", "actors"],
  daemon: ["src/protocol", "src/plain.ts"],
  publisher: ["src/plain.ts"],
  bench: ["src", "actors", "http", "daemon", "test"],
  test: ["src", "actors", "http", "daemon", "publisher", "bench"]
}

const folderOf = (path: string): string => path.split("/")[0]!
const relations = (file: HouseFile) =>
  imports(file).map((one) => ({ ...one, file, to: target(file, one.from), at: place(file, one.index, one.from) }))
const all = houseFiles.flatMap(relations)

describe("imports", () => {
  it("point downwards only: bench, test and daemon, then http, then actors, then src", () => {
    const wrong = all.filter(({ file, to }) => {
      if (to === undefined || file.path === composition || !(folderOf(file.path) in below)) return false
      const own = folderOf(file.path)
      return folderOf(to) !== own && !below[own]!.some((folder) => to === folder || to.startsWith(`${folder}/`))
    })
    expect(wrong.map(({ at }) => at)).toEqual([])
  })

  it("never reach the composition root", () => {
    expect(all.filter(({ to }) => to === composition).map(({ at }) => at)).toEqual([])
  })

  it("name uWebSockets.js in http/server.ts, http/exchange.ts and http/socket.ts only", () => {
    // The bench measures bare uWebSockets.js beside the hub.
    const seam = ["http/server.ts", "http/exchange.ts", "http/socket.ts"]
    expect(
      all
        .filter(
          ({ from, file }) => from === "uWebSockets.js" && !seam.includes(file.path) && folderOf(file.path) !== "bench"
        )
        .map(({ at }) => at)
    ).toEqual([])
  })

  it("leave test and bench out of what runs", () => {
    const wrong = all.filter(({ file, to }) => {
      const own = folderOf(file.path)
      return (
        ["src", "actors", "http"].includes(own) &&
        file.path !== composition &&
        ["test", "bench"].includes(folderOf(to ?? ""))
      )
    })
    expect(wrong.map(({ at }) => at)).toEqual([])
  })

  it("end in .ts and find their file", () => {
    const lost = all.filter(({ to }) => to !== undefined && !(to.endsWith(".ts") && existsSync(join(root, to))))
    expect(lost.filter(({ to }) => !/\.(json|mjs)$/u.test(to!)).map(({ at }) => at)).toEqual([])
  })
})
