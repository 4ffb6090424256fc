/** The commands that only talk to a hub, in one file: they do what they do from the sources. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { buildWhereChanged } from "../../build/where-changed.ts"
import { ownFile, writeOwnFile } from "../../integrator/own-file.ts"
import { integratorWords } from "../../src/cli/integrator-words.ts"
import { root } from "../support/root.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string }

const run = async (words: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) => {
  const child = spawn(process.execPath, words, { env: { PATH: process.env["PATH"], HOME: testFolder("home"), ...env } })
  const ended = once(child, "close")
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await ended
  return { code, stdout, stderr }
}

describe("the bundled commands", () => {
  beforeAll(async () => {
    const { stderr } = await run([join(root, "integrator/build.ts")])
    expect(stderr).toBe("")
  })
  const commands = (words: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) =>
    run([join(root, "integrator/dist/hub-cli.mjs"), ...words], env)

  it("say the version, and call a hub with a key of the environment; what is JSON is printed as JSON", async () => {
    expect(await commands(["version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" })
    const keys: Array<string | undefined> = []
    // of characters that a terminal is not shown as they are
    const said = { name: "\u{1f469}\u200d\u{1f4bb} soft\u00adly" }
    const server = createServer(({ headers, url = "" }, answer) => {
      keys.push(headers.authorization)
      const kept = url.includes("/deliveries/") ? { body: JSON.stringify(said) } : said
      const body = url.endsWith("/results") ? { results: [said] } : kept
      answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close())
    const env = {
      HUB_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      HUB_KEY: `hub_${"k".repeat(36)}`,
      XDG_CONFIG_HOME: testFolder("settings")
    }
    writeOwnFile(ownFile(env, "sessions.json"), { [`${env.HUB_URL} `]: "token" })
    const { code, stdout } = await commands(["call", "GET", "/api/v1/me"], env)
    expect([code, JSON.parse(stdout)]).toEqual([0, said])
    expect(keys).toEqual([`Bearer ${env.HUB_KEY}`])
    const results = await commands(["job", "results", "job_1"], env)
    expect([results.code, JSON.parse(results.stdout)]).toEqual([0, said])
    const delivery = await commands(["webhook", "delivery", "whk_1", "dlv_1"], env)
    expect([delivery.code, JSON.parse(delivery.stdout)]).toEqual([0, said])
  })

  it("end with 1 and a sentence where their output cannot be written", async () => {
    const full = openSync("/dev/full", "w")
    onTestFinished(() => closeSync(full))
    const words = [join(root, "integrator/dist/hub-cli.mjs"), "version"]
    const child = spawn(process.execPath, words, { stdio: ["ignore", full, "pipe"] })
    const ended = once(child, "close")
    expect(await text(child.stderr!)).toMatch(/^hub version: the output is not written: ENOSPC/u)
    expect(await ended).toEqual([1, null])
  })

  it("end where who reads their output has left", async () => {
    const tells: Array<() => void> = []
    const server = createServer((_, answer) => {
      const tell = () => void answer.write('data: {"event":"daemon:connect"}\n\n')
      answer.writeHead(200, { "content-type": "text/event-stream" })
      tells.push(tell)
      tell()
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close())
    const env = { HUB_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, HUB_KEY: "hub_x" }
    const child = spawn(process.execPath, [join(root, "integrator/dist/hub-cli.mjs"), "events", "tail"], { env })
    onTestFinished(() => void child.kill("SIGKILL"))
    await once(child.stdout, "data")
    child.stdout.destroy()
    await until("it has ended", () => {
      for (const tell of tells) tell()
      return child.exitCode !== null
    })
    expect(child.exitCode).toBe(130)
  })

  it("are those that the wrapper knows", () => {
    const [, words] = /^ {4}(login \| .*)\) true/mu.exec(readFileSync(join(root, "hub"), "utf8"))!
    expect(words!.split(" | ")).toEqual(Object.keys(integratorWords))
  })

  it("end with 2 and a sentence where they are called wrongly", async () => {
    const { code, stderr } = await commands(["call"])
    expect(code).toBe(2)
    expect(stderr).toContain("hub call")
  })
})

it("a build is made where a source has changed, and its stamp is as new as a source that was written as it was", async () => {
  const folder = testFolder("build")
  const made: Array<string> = []
  const build = () =>
    buildWhereChanged({
      name: "it",
      into: join(folder, "dist"),
      sources: [join(root, "package.json")],
      make: async (draft) => void made.push(draft)
    })
  await build()
  await build()
  expect(made).toHaveLength(1)
})
