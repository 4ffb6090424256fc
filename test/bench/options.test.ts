/** `./hub bench` as a person types it: what it refuses and how, and what it writes. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import { parseOptions } from "../../bench/options.ts"
import { whichCounts } from "../../bench/report/compare.ts"
import { atLeast, report, written } from "../../bench/report/figures.ts"
import { attachable, usual } from "../../bench/scenarios/all.ts"
import { UsageError } from "../../bench/usage-error.ts"
import { ArgumentError } from "../../src/cli/arguments.ts"

const quiet = (): void => {}

const refusal = (words: string): Promise<string> =>
  parseOptions(words.split(" "), quiet, quiet).then(
    () => "",
    (error: unknown) =>
      error instanceof UsageError || error instanceof ArgumentError ? error.message : `unexpected: ${error}`
  )

describe("the bench refuses with a sentence", () => {
  it.each([
    ["nothing", "there is no scenario nothing"],
    ["--nothing", "it has no flag --nothing (it has --daemons"],
    ["rest --dameons 3", "it has no flag --dameons; did you mean --daemons"],
    ["rest --runs 1 --runs 2", "--runs is given twice"],
    ["rest --seconds many", "--seconds must be a number above 0, not many"],
    ["rest --runs 1.5", "--runs must be a whole number above 0, not 1.5"],
    ["rest --daemons -3", "--daemons must be a whole number above 0, not -3"],
    ["rest --database mysql", "--database is postgres or embedded"],
    ["rest --nodes 2 --database embedded", "--nodes shares a Postgres"],
    ["rest --nodes 1000", "--nodes is at most 16"],
    ["rest --json /nowhere/at/all.json", "--json cannot be written: ENOENT"],
    ["rest --email a@b.c", "name it with --url"],
    ["rest --url http://127.0.0.1:1", "--url needs --email and --password"],
    ["rest --url https://a.b --email a@b.c --password p", "--url is http://host:port, without TLS"],
    ["rest --url http://127.0.0.1:1 --record", "leave out --url"],
    ["rest limits --url http://127.0.0.1:1", "limits cannot be measured there; of this hub these can: rest, command"],
    ["idle --url http://127.0.0.1:1", "idle cannot be measured there"],
    ["rest --url http://127.0.0.1:1 --nodes 2", "leave out --url"],
    ["siege --url http://127.0.0.1:1", "siege cannot be measured there"],
    ["siege --only pings,nothing", "siege has no row nothing; it has pipelined-requests"],
    ["rest siege --only pings", "--only belongs to siege and to fuzz"],
    ["rest limits --checkout .", "--checkout has no hub that limits measures"],
    ["fuzz --only pings", "fuzz has no surface pings; it has rest, socket, registry"],
    ["rest --seed 7", "--inputs, --seed and --first belong to fuzz"],
    ["fuzz --first -1", "--first must be a whole number of at least 0, not -1"],
    ["rest siege --behind nginx", "--behind and --tls belong to siege"],
    ["rest --tls", "--behind and --tls belong to siege"],
    ["siege --behind varnish", "--behind is nginx or haproxy"],
    ["siege --nodes 2 --database embedded", "--nodes shares a Postgres"],
    ["siege --checkout /nowhere", "--checkout is a folder with a checkout of this project, not /nowhere"]
  ])("%s", async (words, sentence) => expect(await refusal(words)).toContain(sentence))

  it("where nobody answers, where no hub does, and where the account is not known", async () => {
    const answers = { status: 404 }
    const server = createServer((request, response) => {
      response.statusCode = request.url === "/readyz" ? answers.status : 401
      response.end("{}")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const words = `rest --url http://127.0.0.1:${(server.address() as AddressInfo).port} --email a@b.c --password p`
    expect(await refusal(words)).toContain("is no hub that is ready: /readyz answered 404")
    answers.status = 200
    expect(await refusal(words)).toContain("knows no account with this e-mail address and password")
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    expect(await refusal(words)).toContain("no hub answers at")
  })
})

describe("the bench", () => {
  it("measures all but what takes long when nothing is named, and of a hub elsewhere what can be seen from here", async () => {
    const asked = await parseOptions([], quiet, quiet)
    expect(asked?.names).toEqual(usual)
    for (const name of ["crowd", "endure", "siege", "fuzz"]) expect(usual).not.toContain(name)
    const seen = attachable({ nodes: 1, pid: false })
    expect(seen).toEqual(expect.arrayContaining(["rest", "command", "connect", "fanout", "mixed"]))
    const unseen = "idle delivery nodes registry limits lag start observability crowd endure siege".split(" ")
    expect(seen.filter((name) => unseen.includes(name))).toEqual([])
    expect(attachable({ nodes: 2, pid: true })).toEqual(expect.arrayContaining(["nodes", "idle"]))
  })

  it("gives each scenario its options", async () => {
    const asked = await parseOptions("crowd rest --daemons 9 --nodes 3 --rate 5 --runs 2".split(" "), quiet, quiet)
    expect(asked?.options("crowd")).toMatchObject({ seconds: 600, daemons: 9, nodes: 3, rate: 5, runs: 2 })
    expect(asked?.options("rest")).toMatchObject({ seconds: 8, database: "postgres" })
    const siege = await parseOptions("siege --only pings,pongs --checkout .".split(" "), quiet, quiet)
    expect(siege?.options("siege")).toMatchObject({
      seconds: 10,
      database: "embedded",
      only: ["pings", "pongs"],
      checkout: "."
    })
    const wide = await parseOptions("siege --nodes 2 --behind haproxy --tls".split(" "), quiet, quiet)
    expect(wide?.options("siege")).toMatchObject({ database: "postgres", nodes: 2, behind: "haproxy", tls: true })
    const fuzz = await parseOptions("fuzz --only rest --seed 7 --first 0 --inputs 9".split(" "), quiet, quiet)
    expect(fuzz?.options("fuzz")).toMatchObject({ database: "embedded", only: ["rest"], seed: 7, first: 0, inputs: 9 })
    expect(await parseOptions(["--help"], quiet, quiet)).toBeUndefined()
  })

  it("writes one object: scenario, machine, revision and figures, nothing else", () => {
    const figures = [{ ...atLeast("a", 2, "/s", 1), spread: 0.1 }]
    const one = report("rest", { figures, notes: ["beside"], series: [{ title: "t", x: "s", y: "ms", lines: [] }] })
    const two = report("limits", { figures: [{ name: "b", value: 1, unit: "µs" }] })
    expect(written([one, two])).toEqual({
      scenario: "rest+limits",
      machine: one.machine,
      revision: one.revision,
      figures: [
        { name: "a", value: 2, unit: "/s", goal: ">= 1 /s", holds: true },
        { name: "b", value: 1, unit: "µs" }
      ]
    })
  })

  it("names what could not be measured instead of showing a number", () => {
    const made = report("idle", { figures: [{ name: "x_cpu_us", value: Number.NaN, unit: "µs" }] })
    expect(made.figures).toEqual([])
    expect(made.notes).toEqual(["not to be measured here: x_cpu_us"])
  })

  it("says which of two measures counts", () => {
    const stores = { postgres: Number.NaN, redis: Number.NaN }
    const stretch = (busy: number) => ({ done: 1, perSecond: 1_000, cpuMicros: 10, busy, stores })
    const rounds = [{ hub: stretch(0.99), bare: stretch(0.5) }]
    expect(whichCounts("x_vs_bare", rounds, { hub: "x", bare: "x_bare" })).toEqual([
      "x_vs_bare: the core of x was 99 % busy, its throughput counts",
      "x_vs_bare: the core of x_bare was 50 % busy, its 1 s / CPU per operation counts, not its throughput"
    ])
  })
})
