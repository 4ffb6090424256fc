/** How a bench ends: the terminal, its folders, its children, and what it made at a hub that is not its own. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest"
import { removeFolder, scratchFolder } from "../../bench/servers/child-process.ts"
import type { BenchHub } from "../../bench/servers/hub.ts"
import { type Printed, startHub } from "../../bench/servers/hub.ts"
import { databaseFolder } from "../../src/store/embedded/opening.ts"
import { operateHub } from "../support/hub-process.ts"
import { type OnTerminal, onTerminal } from "../support/pseudo-terminal.ts"
import { isAlive } from "../support/reference-daemon.ts"
import { root } from "../support/root.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"

const main = join(root, "src/main.ts")
const small = ["--tiny", "--runs", "1"]

describe("a bench on a terminal", () => {
  let running: OnTerminal | undefined
  afterEach(() => running?.kill())

  it("that is interrupted restores the terminal, ends its children, removes its folders and exits with 130", async () => {
    const folder = testFolder("benchended")
    const words = ["bench", "rest", ...small, "--database", "embedded", "--seconds", "100"]
    const bench = onTerminal([process.execPath, main, ...words], { PATH: process.env["PATH"], TMPDIR: folder })
    running = bench
    await until("it measures", () => bench.screen().includes("rest: run 1"))
    const children = bench.processes()
    expect(children.length).toBeGreaterThan(2)
    expect(readdirSync(folder).length).toBeGreaterThan(0)
    bench.type("\x03")
    expect(await bench.ended).toBe(130)
    const screen = bench.screen()
    for (const mode of ["?25", "?7"])
      expect(screen.lastIndexOf(`\x1b[${mode}h`)).toBeGreaterThan(screen.lastIndexOf(`\x1b[${mode}l`))
    expect(screen).not.toContain("was not measured")
    await until("no orphan", () => !children.some(isAlive))
    expect(readdirSync(folder)).toEqual([])
  })
})

it("a folder of a bench is removed although a process that ends still writes into it", async () => {
  const folder = scratchFolder("hub-bench-written-")
  const write = `const { mkdirSync, writeFileSync } = require("node:fs")
      const files = ${JSON.stringify(join(folder, "files"))}
      mkdirSync(files)
      console.log("writes")
      for (let nth = 0; nth < 5_000; nth++) try { writeFileSync(files + "/" + nth, "") } catch {}`
  const writer = spawn(process.execPath, ["-e", write], { stdio: ["ignore", "pipe", "inherit"] })
  const ended = once(writer, "exit")
  await once(writer.stdout, "data")
  removeFolder(folder)
  await ended
  expect(existsSync(folder)).toBe(false)
})

describe("a bench of a hub that is not its own", () => {
  const login = { email: "owner@bench.local", password: "correct horse battery staple" }
  let hub: BenchHub
  let account: Printed
  const data = testFolder("benched")
  beforeAll(async () => {
    cpSync(databaseFolder(inject("templateFolder")), databaseFolder(data), { recursive: true })
    hub = await startHub({ settings: { HUB_DRAIN: "100ms", HUB_DATA_DIR: data } })
    const { email, password } = login
    account = await hub.command("account", "create", "--email", email, "--password", password, "--plan", "enterprise")
  })
  afterAll(() => hub?.stop())

  const run = (...words: ReadonlyArray<string>) => {
    const password = words.includes("--password") ? [] : ["--password", login.password]
    const there = ["--url", hub.url, "--email", login.email, ...password]
    const child = spawn(process.execPath, [main, "bench", ...small, ...there, ...words], {
      env: { PATH: process.env["PATH"] }
    })
    let said = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text
      })
    return { child, said: () => said, ended: once(child, "close").then(([code]) => code as number | null) }
  }

  const daemons = async () =>
    (await operateHub(data, undefined, { op: "token list", account: account.accountId }))["daemons"] as ReadonlyArray<
      Record<string, unknown>
    >
  const keys = async () =>
    (await operateHub(data, undefined, { op: "key list", account: account.accountId }))["apiKeys"]
  /** Nothing it made is of use to anybody: deleted where the hub can do that, else revoked. */
  const nothingLeft = async (): Promise<void> => {
    expect((await daemons()).filter(({ revoked }) => revoked !== true)).toEqual([])
    expect(await keys()).toEqual([])
  }

  it("enrols no more than it measures, leaves out what it cannot, and takes back what it enrolled", async () => {
    const bench = run("rest", "command", "--seconds", "0.1", "--daemons", "4")
    expect([0, 1]).toContain(await bench.ended)
    expect(bench.said()).toContain("growth_command was left out: it measures the hub's CPU")
    expect((await daemons()).length).toBeLessThanOrEqual(3 + 4)
    await nothingLeft()
  })

  it("takes back what it enrolled when it is interrupted, and exits with 130", async () => {
    const bench = run("rest", "--seconds", "100")
    await until("it measures", () => bench.said().includes("rest: run 1"))
    expect((await daemons()).some(({ revoked }) => revoked !== true)).toBe(true)
    bench.child.kill("SIGINT")
    expect(await bench.ended).toBe(130)
    expect(bench.said()).toContain("interrupted; what it enrolled is taken back")
    await nothingLeft()
  })

  it("that does not let it in gets one sentence, and not the usage", async () => {
    const bench = run("rest", "--password", "wrong")
    expect(await bench.ended).toBe(2)
    expect(bench.said()).toBe(`hub bench: ${hub.url} knows no account with this e-mail address and password\n`)
  })
})
