/**
 * The test command: `./hub test`. Owns what comes before and behind Vitest: the words, what this machine lacks, the
 * folder and the processes of the run, and its end by a signal. Judges no test.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { accessSync, constants, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { missing } from "../support/machine.ts"
import { root } from "../support/root.ts"
import { type Asked, readCommandLine, usage } from "./command-line.ts"
import { makeRunFolder, sweep, sweepAbandoned } from "./leftovers.ts"
import { relatedTests } from "./related.ts"

const freeBytesMin = 2 * 1_073_741_824
/** Who does not end of SIGTERM. */
const endMillisMax = 10_000
/** In the gate always the same, so that the verdict is about the change. */
const usualSeed = 20_261_124
const newSeed = (): number => Math.floor(Date.now() / 1_000) % 2_147_483_647
const exits = { failed: 1, notUnderstood: 2, interrupted: 130 } as const

const say = (line: string): void => void process.stderr.write(`hub test: ${line}\n`)

/** Ends here, with a sentence. */
const stop = (code: number, line: string): never => {
  say(line)
  process.exit(code)
}

const testFilesOf = (asked: Asked): ReadonlyArray<string> => {
  if (!asked.related) return asked.files
  const found = relatedTests(asked.files)
  return typeof found === "string" ? stop(exits.notUnderstood, found) : found
}

const checkMachine = (): void => {
  const inCi = process.env["CI"] === "true"
  const lacks = missing(inCi)
  if (lacks.length > 0 && inCi) stop(exits.failed, `${lacks.join("; ")}: in CI none is left out`)
  for (const one of lacks) say(`left out: ${one}`)
  for (const [folder, way] of [
    [tmpdir(), "set TMPDIR"],
    [join(root, "node_modules"), "the tests keep what they compiled there"]
  ] as const) {
    try {
      accessSync(folder, constants.W_OK)
    } catch (error) {
      stop(exits.failed, `${folder} cannot be written (${(error as NodeJS.ErrnoException).code}): ${way}`)
    }
  }
  const { bavail, bsize } = statfsSync(tmpdir())
  if (bavail * bsize < freeBytesMin)
    stop(exits.failed, `${tmpdir()} has ${Math.floor((bavail * bsize) / 1_048_576)} MiB free, the tests need 2 GiB`)
}

const vitestWords = (asked: Asked, files: ReadonlyArray<string>): ReadonlyArray<string> => [
  join(root, "node_modules/vitest/vitest.mjs"),
  "run",
  "--configLoader=native",
  ...asked.more,
  ...(asked.name === undefined ? [] : ["-t", asked.name]),
  ...files
]

/** Runs Vitest to its end, or to that of a signal; gives the exit code. */
const runVitest = async (words: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Promise<number> => {
  let interrupted = false
  const interruption = Promise.withResolvers<void>()
  const interrupt = (): void => {
    if (interrupted) return
    interrupted = true
    say("interrupted: ends its processes")
    interruption.resolve()
  }
  // before the other begins: a signal between the two would leave it behind
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt)
  // in a group of its own: Ctrl-C comes to this process alone, which ends the other
  const child = spawn(process.execPath, words, {
    cwd: root,
    env,
    stdio: ["ignore", "inherit", "inherit"],
    detached: true
  })
  void interruption.promise.then(() => {
    child.kill("SIGTERM")
    setTimeout(() => child.kill("SIGKILL"), endMillisMax).unref()
  })
  const [code] = (await once(child, "exit")) as [number | null]
  return interrupted ? exits.interrupted : (code ?? exits.failed)
}

const main = async (): Promise<number> => {
  const asked = readCommandLine(process.argv.slice(2))
  if (typeof asked === "string") {
    if (asked === usage) process.stdout.write(`${usage}\n`)
    else say(asked)
    return asked === usage ? 0 : exits.notUnderstood
  }
  const files = testFilesOf(asked)
  checkMachine()
  sweepAbandoned()
  const folder = makeRunFolder()
  const code = await runVitest(vitestWords(asked, files), {
    ...process.env,
    PATH: [process.env["PATH"], "/usr/sbin", "/sbin"].join(delimiter),
    TMPDIR: folder,
    // as ./hub does: the hubs that tests start compile less
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(root, "node_modules/.compile-cache"),
    HUB_TEST_TIER: asked.tier,
    HUB_TEST_SEED: String(asked.seed ?? (asked.tier === "night" ? newSeed() : usualSeed))
  })
  const left = sweep(folder)
  if (code === 0) for (const words of left) say(`a test had not ended: ${words}`)
  return code
}

process.exitCode = await main()
