/**
 * What does the list of daemons cost, with a real key and all checks on, beside a bare server that serialises the same
 * JSON and beside fastify doing the same with a key? Owns that comparison.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Output } from "../../client/src/index.ts"
import {
  type BenchOptions,
  coreOfServer,
  type Outcome,
  pidOf,
  type Stretch,
  saturate,
  withFixture
} from "../fixture.ts"
import { details, type Rounds, rateRatio, whichCounts } from "../report/compare.ts"
import { type Child, startProgram } from "../servers/child.ts"
import { removeFolder, scratchFolder } from "../servers/child-process.ts"
import { enrol } from "../servers/hub.ts"

const fleetSize = 3
const connections = 64
const warmSeconds = 2
const vsBare = 0.5
const vsFastify = 1.5

type Server = "hub" | "bare" | "fastify"

/** Runs the scenario. */
export const rest = (options: BenchOptions): Promise<Outcome> =>
  withFixture(options, async ({ hub, account, generator }) => {
    const folder = scratchFolder("hub-bench-rest-")
    const programs: Array<Child> = []
    try {
      const tokens = (await enrol(hub, account, fleetSize)).map(({ token }) => token)
      await generator.ask("fleet", { fleet: "rest", url: hub.url, reportMillis: 0 })
      await generator.ask("join", { fleet: "rest", tokens, manner: "idle", atOnce: fleetSize })
      const listed = await waitForSessions(() => hub.client(account.key).daemons.list())
      const json = join(folder, "list.json")
      writeFileSync(json, JSON.stringify(listed))

      const core = coreOfServer(options)
      const program = async (file: string, args: ReadonlyArray<string>) => {
        const child = startProgram(file, args, {}, core)
        programs.push(child)
        return { pid: child.pid, url: `http://127.0.0.1:${(await child.line())["port"]}`, path: "/list" }
      }
      const servers: Record<Server, { pid: number | undefined; url: string; path: string }> = {
        hub: { pid: pidOf(hub), url: hub.url, path: "/api/v1/daemons" },
        bare: await program("baseline/bare.ts", [json, json]),
        fastify: await program("baseline/list-fastify.ts", [json, account.key])
      }
      const ask = async (name: Server, seconds: number): Promise<Stretch> => {
        const { pid, url, path } = servers[name]
        const one = { method: "GET", path, headers: { authorization: `Bearer ${account.key}` } }
        return saturate(options, generator, pid, url, [one], connections, seconds)
      }
      const rounds: Array<Record<Server, Stretch>> = []
      for (let run = 1; run <= options.runs; run++) {
        const round = {} as Record<Server, Stretch>
        for (const name of ["hub", "bare", "fastify"] as const) {
          options.say(`rest: run ${run} of ${options.runs}, ${name}`)
          if (run === 1) await ask(name, Math.min(warmSeconds, options.seconds))
          round[name] = await ask(name, options.seconds)
        }
        rounds.push(round)
      }
      return { figures: figures(rounds), notes: whichCounts("get_daemons_vs_bare", rounds, names) }
    } finally {
      await Promise.all(programs.map((program) => program.stop()))
      removeFolder(folder)
    }
  })

/** The daemons report 2 s after they came. */
const waitForSessions = async (list: () => PromiseLike<Output<"daemons.list">>): Promise<unknown> => {
  const patience = performance.now() + 20_000
  for (;;) {
    const listed = await list()
    if (listed.daemons.filter(({ clis }) => clis.length > 0).length >= fleetSize) return listed
    if (performance.now() > patience) throw new Error("the daemons did not report")
    await new Promise((go) => setTimeout(go, 50))
  }
}

const names: Record<Server, string> = {
  hub: "get_daemons",
  bare: "get_daemons_bare",
  fastify: "get_daemons_fastify"
}

const figures = (rounds: Rounds<Server>) => [
  rateRatio("get_daemons_vs_bare", rounds, "hub", "bare", vsBare),
  rateRatio("get_daemons_vs_fastify", rounds, "hub", "fastify", vsFastify),
  ...details(rounds, names)
]
