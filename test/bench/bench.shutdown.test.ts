/** How a bench ends: the terminal, its folders, its children, and what it made at a hub that is not its own. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { Enrolments } from "../../bench/fleet/enrolments.ts"
import { growthSizes } from "../../bench/scenarios/command.ts"
import { removeFolder, scratchFolder } from "../../bench/servers/child-process.ts"
import type { BenchHub } from "../../bench/servers/hub.ts"
import { clientsOf, type Printed, startHub } from "../../bench/servers/hub.ts"
import { UsageError } from "../../bench/usage-error.ts"
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

describe("a folder of a bench", () => {
  it("is removed although a process that ends still writes into it", async () => {
    const folder = scratchFolder("hub-bench-written-")
    const write = `const { mkdirSync, writeFileSync } = require("node:fs")
      const files = ${JSON.stringify(join(folder, "files"))}
      mkdirSync(files)
      console.log("writes")
      const until = performance.now() + 400
      for (let nth = 0; performance.now() < until; nth++) try { writeFileSync(files + "/" + nth, "") } catch {}`
    const writer = spawn(process.execPath, ["-e", write], { stdio: ["ignore", "pipe", "inherit"] })
    const ended = once(writer, "exit")
    await once(writer.stdout, "data")
    removeFolder(folder)
    await ended
    expect(existsSync(folder)).toBe(false)
  })
})

describe("a bench of a hub that is not its own", () => {
  const login = { email: "owner@bench.local", password: "correct horse battery staple" }
  let hub: BenchHub
  let account: Printed
  beforeAll(async () => {
    hub = await startHub({ settings: { HUB_DRAIN: "100ms" } })
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

  const daemons = async (): Promise<ReadonlyArray<Record<string, unknown>>> =>
    ((await hub.command("token", "list", account.accountId)) as unknown as { daemons: Array<Record<string, unknown>> })
      .daemons
  const keys = async (): Promise<ReadonlyArray<Record<string, unknown>>> =>
    ((await hub.command("key", "list", account.accountId)) as unknown as { apiKeys: Array<Record<string, unknown>> })
      .apiKeys
  /** Nothing it made is of use to anybody: deleted where the hub can do that, else revoked. */
  const nothingLeft = async (): Promise<void> => {
    expect((await daemons()).filter(({ revoked }) => revoked !== true)).toEqual([])
    expect(await keys()).toEqual([])
  }

  it("enrols no more than it measures, leaves out what it cannot, and takes back what it enrolled", async () => {
    const bench = run("rest", "command", "--seconds", "0.2", "--daemons", "4")
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

describe("enrolments", () => {
  /** A hub of a few lines: whose logins are recent once, and which may be able to delete. */
  const fakeHub = async (deletes: boolean, limit = Number.POSITIVE_INFINITY) => {
    const calls: Array<string> = []
    let enrolled = 0
    const server = createServer((request, response) => {
      const recent = request.headers.authorization === "Bearer recent"
      const [status, body] = recent
        ? answer(`${request.method} ${request.url}`)
        : [403, { error: "Sign in.", reason: "RECENT_LOGIN_REQUIRED" }]
      response.writeHead(status).end(JSON.stringify(body))
    })
    const answer = (call: string): [number, unknown] => {
      calls.push(call)
      if (call.endsWith("/enroll") && enrolled >= limit)
        return [403, { error: "No more.", reason: "DAEMON_LIMIT_REACHED", limit, plan: "free" }]
      if (call.endsWith("/enroll")) return [201, { daemonId: `dmn_${++enrolled}`, token: "t" }]
      if (call.startsWith("DELETE")) return [deletes ? 200 : 404, {}]
      return [200, {}]
    }
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    let logins = 0
    const clientOf = clientsOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const enrolments = new Enrolments(clientOf("stale"), async () => {
      logins++
      return clientOf("recent")
    })
    const close = () => {
      server.closeAllConnections()
      server.close()
    }
    return { enrolments, calls, logins: () => logins, close }
  }

  it.each([true, false])(
    "are revoked and, where the hub can, deleted (%s), with one login for all",
    async (deletes) => {
      const { enrolments, calls, logins, close } = await fakeHub(deletes)
      await Promise.all(Array.from({ length: 40 }, () => enrolments.enrol()))
      expect(await enrolments.close()).toBe(0)
      const count = (start: string, end = ""): number =>
        calls.filter((call) => call.startsWith(start) && call.endsWith(end)).length
      expect([count("POST", "/enroll"), count("POST", "/revoke")]).toEqual([40, 40])
      if (deletes) expect(count("DELETE")).toBe(40)
      else expect(count("DELETE")).toBeLessThanOrEqual(16)
      expect(logins()).toBe(1)
      await expect(enrolments.enrol()).rejects.toThrow("enrols nothing more")
      close()
    }
  )

  it("that the account's plan does not allow end the bench with what to do, and what it enrolled is taken back", async () => {
    const { enrolments, calls, close } = await fakeHub(true, 3)
    for (let nth = 0; nth < 3; nth++) await enrolments.enrol()
    const refused = await enrolments.enrol().catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(UsageError)
    expect(String(refused)).toContain("the account's plan (free) allows 3 daemons, and the bench needs more")
    expect(await enrolments.close()).toBe(0)
    expect(calls.filter((call) => call.startsWith("DELETE"))).toHaveLength(3)
    close()
  })

  it("that a hub which went away keeps are counted", async () => {
    const { enrolments, close } = await fakeHub(true)
    await enrolments.enrol()
    close()
    expect(await enrolments.close()).toBe(1)
  })
})

describe("the growth of a command's cost", () => {
  const options = { seconds: 1, runs: 1, pinned: false, database: "postgres", say: () => {} } as const
  it("is measured at 100 and 15,000 daemons, or at what --daemons says and a tenth of it", () => {
    expect(growthSizes(options)).toEqual({ small: 100, large: 15_000 })
    expect(growthSizes({ ...options, daemons: 200 })).toEqual({ small: 20, large: 200 })
    expect(growthSizes({ ...options, daemons: 9 })).toContain("needs --daemons 10 or more")
  })
})
