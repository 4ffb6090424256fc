/** How the process of a command ends: by itself, by a signal, by a second one. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "../../support/root.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"

const hearing = `
  import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
  import { Effect } from "effect"
  import { hearsSignalsItself, signalled } from "${join(root, "src/cli/signals.ts")}"
  import { teardown } from "${join(root, "src/cli/teardown.ts")}"
  const command = Effect.gen(function* () {
    if (process.argv[1] === "deaf") process.stdout.write("ready;")
    if (process.argv[1] === "deaf") return yield* Effect.never
    const tell = () => process.listenerCount("SIGHUP") > 0 ? process.stdout.write("ready;") : setImmediate(tell)
    tell()
    const name = yield* signalled
    process.stdout.write("heard " + name + ";")
    setInterval(() => undefined, 60_000)
    return process.argv[1] === "hangs" ? yield* Effect.never : 7
  })
  NodeRuntime.runMain(hearsSignalsItself(command), { disableErrorReporting: true, teardown })`

const run = (args: ReadonlyArray<string>, env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [...args], { cwd: root, env })
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk
    })
  return { child, said: () => said, ended: once(child, "close") }
}

describe("a command that hears signals itself", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("ends after %s with its own exit code", async (name) => {
    const { child, said, ended } = run(["--input-type=module", "-e", hearing])
    await until("it is ready", () => said().includes("ready"))
    child.kill(name)
    expect(await ended).toEqual([7, null])
    expect(said()).toBe(`ready;heard ${name};`)
  })

  it("but does not listen yet ends of a signal as the system does", async () => {
    const { child, said, ended } = run(["--input-type=module", "-e", hearing, "deaf"])
    await until("it is ready", () => said().includes("ready"))
    child.kill("SIGINT")
    expect(await ended).toEqual([null, "SIGINT"])
  })

  it("ends of a second signal as the system does", async () => {
    const { child, said, ended } = run(["--input-type=module", "-e", hearing, "hangs"])
    await until("it is ready", () => said().includes("ready"))
    child.kill("SIGINT")
    await until("it has heard", () => said().includes("heard"))
    child.kill("SIGTERM")
    expect(await ended).toEqual([null, "SIGTERM"])
  })
})

const hub = `
  import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
  import { Effect } from "effect"
  import { hearsSignalsItself } from "${join(root, "src/cli/signals.ts")}"
  import { start } from "${join(root, "src/cli/start.ts")}"
  import { teardown } from "${join(root, "src/cli/teardown.ts")}"
  import { defaultSettings } from "${join(root, "src/config.ts")}"
  const [dataDir, how] = process.argv.slice(1)
  const settings = { ...defaultSettings, dataDir, databaseUrl: "postgres://none", secretKey: new Uint8Array(32) }
  const drain = how === "well" ? Effect.void : Effect.die(new Error("planted"))
  const serving = Effect.andThen(Effect.sync(() => process.stdout.write("serves;")), Effect.sleep("1 hour"))
  const command = start(settings, () => Effect.onInterrupt(serving, () => drain))
  NodeRuntime.runMain(hearsSignalsItself(command), { disableErrorReporting: true, teardown })`

it.each([
  ["well", 0],
  ["by a defect", 1]
] as const)("a hub whose drain ends %s ends with %i", async (how, code) => {
  const { child, said, ended } = run(["--input-type=module", "-e", hub, testFolder("drained"), how])
  await until("it serves", () => said().includes("serves"))
  child.kill("SIGTERM")
  expect(await ended).toEqual([code, null])
})

it("any other command that waits, for a password say, ends with 130 when it is interrupted", async () => {
  const words = ["src/main.ts", "account", "create", "--email", "a@b.example", "--password", "-"]
  const { child, ended, said } = run(
    ["--import", "data:text/javascript,process.stdin.once('resume',()=>process.stderr.write('asked'))", ...words],
    { HUB_DATA_DIR: testFolder("interrupted") }
  )
  await until("it asks", () => said().includes("asked"))
  child.kill("SIGINT")
  expect(await ended).toEqual([130, null])
})
