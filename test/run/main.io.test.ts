/** The test command as a process: it stops with one line, and leaves neither a process nor a folder behind. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "../support/root.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { makeRunFolder, processesOf, sweep } from "./leftovers.ts"

/** Starts it with a temporary folder of its own. */
const start = (words: ReadonlyArray<string>, more: Record<string, string> = {}) => {
  const folder = testFolder("run")
  const child = spawn(process.execPath, [join(root, "test/run/main.ts"), ...words], {
    env: { PATH: process.env["PATH"] ?? "", TMPDIR: folder, ...more },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (bytes: Buffer) => {
      said += bytes.toString()
    })
  }
  const ended = once(child, "close").then(([code]) => code as number | null)
  return { folder, child, said: () => said, ended }
}

describe("the test command", () => {
  it.each([
    ["words that it does not know", ["--fsat"], 2, "hub test: Unknown option '--fsat'"],
    [
      "a changed file that is not there",
      ["--related", "src/no.ts"],
      2,
      "hub test: src/no.ts is no file of the project"
    ],
    ["a test file that is not there", ["test/no.test.ts"], 1, "No test files found"]
  ])("ends at %s with a line that says so, and no stack", async (_, words, code, line) => {
    const run = start(words)
    expect(await run.ended).toBe(code)
    expect(run.said()).toContain(line)
    expect(run.said()).not.toMatch(/^\s+at .*(?:node:|\.ts:)/mu)
    expect(readdirSync(run.folder)).toEqual([])
  })

  it("says in CI what is missing, and runs nothing", async () => {
    const run = start([], { CI: "true", PATH: testFolder("path") })
    expect(await run.ended).toBe(1)
    expect(run.said()).toMatch(/^hub test: the tests of .* need .*: in CI none is left out\n$/u)
  })

  it("leaves no process and no folder when it is interrupted in a test", async () => {
    const run = start(["--project", "rules", "test/run/reporter.test.ts", "test/http"])
    await until("it has begun", () => readdirSync(run.folder).length > 0 && processesOf(run.folder).length > 1)
    run.child.kill("SIGINT")
    expect(await run.ended).toBe(130)
    expect(processesOf(run.folder)).toEqual([])
    expect(readdirSync(run.folder)).toEqual([])
  })
})

it.each([
  ["its words", (folder: string) => spawn("sleep", ["600"], { argv0: folder })],
  ["its environment", (folder: string) => spawn("sleep", ["600"], { env: { PATH: process.env["PATH"], A: folder } })],
  ["its working directory", (folder: string) => spawn("sleep", ["600"], { cwd: folder })]
])("what a run leaves is ended when a process bears the folder's name in %s", async (_, leave) => {
  const folder = makeRunFolder()
  mkdirSync(join(folder, "data"))
  writeFileSync(join(folder, "data", "file"), "text")
  const child = leave(folder)
  const ended = once(child, "exit")
  await until("it runs", () => processesOf(folder).includes(child.pid!))
  // it may still bear the words of who started it
  expect(sweep(folder)).toHaveLength(1)
  await ended
  expect(child.signalCode).toBe("SIGKILL")
})
