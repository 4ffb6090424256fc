/**
 * How many instructions do a read of the registry, the list of daemons, a command and a report take, the first three
 * beside a bare server that sends the same? What runs much code pays for it on a machine of small caches; counted, it
 * shows on any. Owns that comparison.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assertGood, type BenchOptions, type Fixture, type Outcome, requestText, withFixture } from "../fixture.ts"
import type { Generator } from "../fleet/generator.ts"
import { countInstructions, underCallgrind } from "../load/instruction-counts.ts"
import type { Ask } from "../load/wrk.ts"
import { type Figure, shown } from "../report/figures.ts"
import { type Child, startProgram } from "../servers/child.ts"
import { removeFolder, scratchFolder } from "../servers/child-process.ts"
import { enrol } from "../servers/hub.ts"
import { commandTo, settle } from "./fleets.ts"

const callers = 16
const reporters = 100
const reportMillis = 100
/** Until V8 has compiled most of what they run; then so many are counted. */
const passes = { warm: 20_000, counted: 5_000 }
const framesReceived = /^hub_frames_received_total (\d+)$/mu
const registryPath = "/api/v1/registry/providers"

interface Server {
  readonly pid: number
  readonly url: string
  readonly ask: Ask
}
interface Act {
  readonly name: string
  readonly hub: Server
  readonly bare: Server
}
type Program = (file: string, args: ReadonlyArray<string>) => Promise<Omit<Server, "ask">>

/** Runs the scenario. */
export const footprint = async (options: BenchOptions): Promise<Outcome> => {
  const folder = scratchFolder("hub-bench-footprint-")
  const under = underCallgrind(folder)
  const programs: Array<Child> = []
  const program: Program = async (file, args) => {
    const child = startProgram(`baseline/${file}.ts`, args, {}, undefined, under)
    programs.push(child)
    return { pid: child.pid, url: `http://127.0.0.1:${(await child.line())["port"]}` }
  }
  const perOperation = async (pid: number, work: (count: number) => Promise<number>): Promise<number> => {
    if (options.tiny !== true) await work(passes.warm)
    const { done, instructions } = await countInstructions(folder, pid, () =>
      work(options.tiny === true ? 1 : passes.counted)
    )
    return instructions / done
  }
  try {
    // what stands on a core of its own is measured by time; here time does not count
    return await withFixture({ ...options, pinned: false, under }, async (fixture) => {
      const { hub, generator } = fixture
      const figures: Array<Figure> = []
      for (const act of await actsOf(fixture, folder, program)) {
        const counted = { hub: 0, bare: 0 }
        for (const name of ["hub", "bare"] as const) {
          options.say(`footprint: ${act.name}, ${name}`)
          counted[name] = await perOperation(act[name].pid, asking(generator, act[name], options.seconds))
        }
        const figure = shown(`${act.name}_instructions`, counted.hub, "instructions")
        figures.push({ ...figure, baseline: counted.bare, ratio: counted.hub / counted.bare })
      }
      options.say("footprint: reports")
      const report = await perOperation(hub.pid, await reporting(fixture))
      return { figures: [...figures, shown("report_instructions", report, "instructions")] }
    })
  } finally {
    await Promise.all(programs.map((one) => one.stop()))
    removeFolder(folder)
  }
}

/** What is asked of whom: the daemons of both have connected. */
const actsOf = async (
  { hub, account, generator }: Fixture,
  folder: string,
  program: Program
): Promise<ReadonlyArray<Act>> => {
  const tokens = (await enrol(hub, account, 1)).map(({ token }) => token)
  const [daemonId] = await settle(generator, "hub", hub.url, tokens)
  const authorization = `Bearer ${account.key}`
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const list = file("list", JSON.stringify(await hub.client(account.key).daemons.list()))
  const bare = await program("bare", [list, file("registry", await (await fetch(hub.url + registryPath)).text())])
  const relay = await program("relay", [account.key])
  const [relayed] = await settle(generator, "bare", relay.url, ["dmn_bench"])
  const get = (path: string, headers: Ask["headers"] = {}): Ask => ({ method: "GET", path, headers })
  const ofHub = (ask: Ask): Server => ({ pid: hub.pid, url: hub.url, ask })
  return [
    { name: "registry", hub: ofHub(get(registryPath)), bare: { ...bare, ask: get("/bytes") } },
    {
      name: "get_daemons",
      hub: ofHub(get("/api/v1/daemons", { authorization })),
      bare: { ...bare, ask: get("/list", { authorization }) }
    },
    {
      name: "command",
      hub: ofHub(commandTo(daemonId!, account.key)),
      bare: { ...relay, ask: commandTo(relayed!, account.key) }
    }
  ]
}

/** Asks at least so many times, and tells how often. */
const asking =
  (generator: Generator, { url, ask }: Server, seconds: number) =>
  async (count: number): Promise<number> => {
    const load = { url, requests: [requestText(url, ask)], connections: callers, seconds }
    let done = 0
    while (done < count) {
      const { answered, statuses } = await generator.ask("load", load)
      assertGood(url, statuses)
      done += answered
    }
    return done
  }

/**
 * Daemons that report all the time; waits until the hub has handled at least so many, and tells how many. A hub that is
 * counted may handle them later than they are sent, and is asked seldom: its answer is counted too.
 */
const reporting = async ({ hub, account, generator }: Fixture) => {
  const tokens = (await enrol(hub, account, reporters)).map(({ token }) => token)
  await generator.ask("fleet", { fleet: "reports", url: hub.url, reportMillis })
  await generator.ask("join", { fleet: "reports", tokens, manner: "idle", atOnce: reporters })
  const handled = async (): Promise<number> => {
    const [, total] = framesReceived.exec(await (await fetch(`${hub.url}/metrics`)).text()) ?? []
    return Number(total)
  }
  return async (count: number): Promise<number> => {
    const before = await handled()
    for (;;) {
      await new Promise((go) => setTimeout(go, (count * reportMillis) / reporters))
      const done = (await handled()) - before
      if (done >= count) return done
    }
  }
}
