/** Which folder inside actors/ and http/ may import which. The composition of a folder (its files outside) is free. */
import { describe, expect, it } from "vitest"
import { type HouseFile, houseFiles, imports, place, target } from "../support/source-files.ts"

/** What each folder may import from, beside itself and what lies below its top folder. */
const allowed: Readonly<Record<string, ReadonlyArray<string>>> = {
  "actors/runtime": [],
  "actors/audit-log": [],
  "actors/request-log": [],
  "actors/limits": ["actors/runtime"],
  "actors/webhooks": ["actors/runtime", "actors/limits"],
  "actors/events": ["actors/runtime", "actors/limits", "actors/webhooks"],
  "actors/command-records": ["actors/runtime", "actors/limits", "actors/events"],
  "actors/daemon": ["actors/runtime", "actors/limits", "actors/events", "actors/command-records"],
  "actors/presence": ["actors/runtime", "actors/limits", "actors/events", "actors/daemon"],
  "actors/cluster": ["actors/runtime", "actors/command-records", "actors/presence", "actors/cluster/redis"],
  "actors/commands": [
    "actors/runtime",
    "actors/limits",
    "actors/command-records",
    "actors/daemon",
    "actors/cluster",
    "actors/presence"
  ],
  "actors/jobs": ["actors/runtime", "actors/commands", "actors/events"],
  "actors/logs": ["actors/cluster", "actors/commands", "actors/presence"],
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
  "http/native": [],
  "http/pipeline": ["http/api", "http/native"],
  "http/reference": ["http/api", "http/pipeline"],
  "http/mcp": ["http/api", "http/native", "http/pipeline", "http/reference"],
  "http/routes": ["http/api", "http/native", "http/pipeline", "http/reference"]
}

/** Imports against that direction which are still there. The list only becomes shorter. */
const exceptions: ReadonlyArray<readonly [folder: string, file: string, why: string]> = [
  ["actors/cluster", "actors/commands/handoff.ts", "the port names the wait for a daemon that moves"],
  ["actors/cluster", "actors/commands/send-command.ts", "another node's command is sent like one of this node"],
  ["actors/cluster", "actors/commands/start-command.ts", "the same of one that outlives its call"],
  ["actors/cluster/redis", "actors/commands/handoff.ts", "a call over the bus may find a daemon that moves"],
  ["actors/cluster/redis", "actors/cluster/local-daemons.ts", "a call from another node reaches the local daemons"],
  ["actors/daemon", "actors/connections/peer.ts", "the port of the socket lies beside the connections"],
  ["actors/daemon", "actors/presence/roster.ts", "a daemon actor tells the roster of its end"],
  ["actors/limits", "actors/daemon/account-share.ts", "the scheduler of reports runs the reports of daemons"],
  ["actors/limits", "actors/daemon/state.ts", "the same"],
  ["actors/presence", "actors/cluster/cluster.ts", "the drain and the list ask the port of the other nodes"],
  ["actors/presence", "actors/connections/connections.ts", "the drain stops new connections first"],
  ["actors/webhooks", "actors/events/dispatcher.ts", "the backlog bounds what the dispatcher commits"],
  ["http/native", "http/pipeline/cors.ts", "a refusal before the pipeline carries the same headers"],
  ["http/native", "http/pipeline/problem.ts", "a refusal before the pipeline has the same body"],
  ["http/native", "http/pipeline/request-logging.ts", "the request log sees an exchange as a request"],
  ["http/native", "http/pipeline/response.ts", "the pipeline's response is what native code writes"],
  ["http/pipeline", "http/routes/all.ts", "the mount joins the contract and its routes"],
  ["http/pipeline", "http/routes/group.ts", "the mount binds each action to its endpoint by the types of the routes"]
]

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
    const wrong = all.filter(
      ({ from, to, file }) =>
        !allowed[from]?.includes(to) && !exceptions.some(([folder, one]) => folder === from && one === file)
    )
    expect(wrong.map(({ at }) => at)).toEqual([])
  })

  it("need every exception that is listed", () => {
    const unused = exceptions.filter(
      ([folder, one]) =>
        !all.some(({ from, to, file }) => from === folder && file === one && !allowed[from]!.includes(to))
    )
    expect(unused.map(([folder, one]) => `${folder} no longer imports ${one}: remove the exception`)).toEqual([])
  })

  it("have an order: by the table no folder reaches itself", () => {
    const reaches = (from: string, to: string): boolean =>
      allowed[from]!.some((next) => next === to || reaches(next, to))
    expect(Object.keys(allowed).filter((folder) => reaches(folder, folder))).toEqual([])
  })
})
