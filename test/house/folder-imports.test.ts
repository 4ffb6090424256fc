/**
 * Which folder inside actors/ and http/ may import which. What composes them (http/edge.ts) is free,
 * and no folder imports it.
 */
import { describe, expect, it } from "vitest"
import { type HouseFile, houseFiles, imports, place, target } from "./project-files.ts"

/** What each folder may import from, beside itself and what lies below its top folder. */
const allowed: Readonly<Record<string, ReadonlyArray<string>>> = {
  "actors/runtime": [],
  "actors/audit-log": [],
  "actors/request-log": [],
  "actors/push": [],
  "actors/limits": ["actors/runtime"],
  "actors/webhooks": ["actors/runtime", "actors/limits"],
  "actors/events": ["actors/audit-log", "actors/push", "actors/runtime", "actors/limits", "actors/webhooks"],
  "actors/approvals": [],
  "actors/command-records": ["actors/runtime", "actors/limits", "actors/events"],
  "actors/daemon": ["actors/runtime", "actors/limits", "actors/events", "actors/command-records"],
  "actors/presence": ["actors/runtime", "actors/limits", "actors/events", "actors/daemon"],
  "actors/cluster": [
    "actors/runtime",
    "actors/command-records",
    "actors/daemon",
    "actors/presence",
    "actors/cluster/redis"
  ],
  "actors/commands": [
    "actors/runtime",
    "actors/limits",
    "actors/command-records",
    "actors/daemon",
    "actors/cluster",
    "actors/presence"
  ],
  "actors/daemon-versions": ["actors/presence"],
  "actors/policies": ["actors/presence"],
  "actors/jobs": ["actors/runtime", "actors/commands", "actors/events"],
  "actors/logs": ["actors/cluster", "actors/commands", "actors/limits", "actors/presence"],
  "actors/connections": [
    "actors/runtime",
    "actors/limits",
    "actors/events",
    "actors/command-records",
    "actors/daemon",
    "actors/cluster",
    "actors/presence"
  ],
  "actors/cluster/redis": ["actors/runtime"],
  "http/api": [],
  "http/pipeline": ["http/api"],
  "http/native": ["http/pipeline"],
  "http/downloads": [],
  "http/reference": ["http/api", "http/pipeline"],
  "http/mcp": ["http/api", "http/pipeline", "http/reference"],
  "http/oauth": ["http/api", "http/pipeline"],
  "http/routes": ["http/api", "http/downloads", "http/native", "http/pipeline", "http/reference"]
}

/** The folder of a file that the table knows; undefined for what composes. */
const folderOf = (path: string): string | undefined => {
  const folder = path.slice(0, path.lastIndexOf("/"))
  return folder.split("/").length === 1 ? undefined : folder
}

interface Crossing {
  readonly from: string
  readonly to: string
  readonly file: string
  readonly at: string
}

/** A file that composes what is in the folders: `http/edge.ts`, not `http/api/api.ts`. */
const isComposition = (path: string): boolean => /^(?:actors|http)\/[^/]+$/u.test(path)

const crossings = (file: HouseFile): ReadonlyArray<Crossing> =>
  imports(file).flatMap((one) => {
    const path = target(file, one.from)
    const from = folderOf(file.path)
    const to = path === undefined ? undefined : folderOf(path)
    if (from === undefined || to === undefined || from === to || path === undefined) return []
    if (from.split("/")[0] !== to.split("/")[0]) return []
    return [{ from, to, file: path, at: place(file, one.index, one.from) }]
  })

const inside = houseFiles.filter(({ path }) => /^(?:actors|http)\//u.test(path))
const all = inside.flatMap(crossings)

describe("the folders inside actors and http", () => {
  it("are all in the table", () => {
    const folders = new Set(inside.flatMap(({ path }) => folderOf(path) ?? []))
    expect([...folders].filter((folder) => !(folder in allowed))).toEqual([])
  })

  it("import only what the table allows", () => {
    const wrong = all.filter(({ from, to }) => !allowed[from]?.includes(to))
    expect(wrong.map(({ at }) => at)).toEqual([])
  })

  it("import no file that composes them", () => {
    const folders = inside.filter(({ path }) => !isComposition(path))
    const wrong = folders.flatMap((file) =>
      imports(file).flatMap(({ from, index }) =>
        isComposition(target(file, from) ?? "") ? place(file, index, from) : []
      )
    )
    expect(wrong).toEqual([])
  })

  it("have an order: by the table no folder reaches itself", () => {
    const reaches = (from: string, to: string): boolean =>
      allowed[from]!.some((next) => next === to || reaches(next, to))
    expect(Object.keys(allowed).filter((folder) => reaches(folder, folder))).toEqual([])
  })
})
