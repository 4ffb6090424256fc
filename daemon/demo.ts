/**
 * `hub demo`: a hub, a daemon and an agent on this computer, and an integrator who uses them. Owns what is started,
 * where, and that it ends; demo/walk.ts makes the calls.
 */

import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { ArgumentError, asksHelp, type Flags, flagLines, readArguments } from "../src/cli/arguments.ts"
import { plainLines } from "../src/runtime/escape.ts"
import { Caller } from "./demo/caller.ts"
import { askHubProgram, type Environment, type Running, startHubProgram } from "./demo/children.ts"
import { sampleType, walk } from "./demo/walk.ts"
import { words } from "./refusal.ts"

const flags = { keep: { kind: "switch", says: "leave both running at the end" } } satisfies Flags
const usage = `hub demo: starts a hub and the reference daemon, and walks the API as an integrator would

${flagLines(flags).join("\n")}
`

const print = (line: string): void => void process.stdout.write(plainLines(`${line}\n`))

/** How long the hub may take to be ready: its first start makes a database, which a busy machine takes minutes for. */
const readyMillisMax = 300_000
const pollMillis = 50
const scopes = "ide:read,ide:control,agent:read,agent:control,terminal:exec"

interface Stage {
  readonly folder: string
  readonly env: Environment
  readonly running: Array<Running>
  interrupted: boolean
}

const alive = (stage: Stage): void => {
  if (stage.interrupted) throw new Error("interrupted")
  const ended = stage.running.find((one) => one.ended() !== undefined)
  if (ended !== undefined) throw new Error(`the ${ended.name} ended too early (${ended.ended()})`)
}

const logOf = (stage: Stage, name: string): string => join(stage.folder, `${name}.log`)

const start = (stage: Stage, name: string, args: ReadonlyArray<string>): void => {
  alive(stage)
  stage.running.push(startHubProgram(name, args, stage.env, logOf(stage, name)))
}

/** Where the hub says that it serves. It chooses the port itself: one chosen for it may be taken by then. */
const addressIn = (log: string): string | undefined => /"message":"serving".*?"address":"([^"]+)"/u.exec(log)?.[1]

const ready = async (stage: Stage): Promise<string> => {
  const deadline = performance.now() + readyMillisMax
  for (;;) {
    const url = addressIn(readFileSync(logOf(stage, "hub"), "utf8"))
    const status =
      url === undefined
        ? 0
        : await fetch(`${url}/readyz`).then(
            (response) => response.status,
            () => 0
          )
    if (url !== undefined && status === 200) return url
    alive(stage)
    if (performance.now() > deadline) throw new Error(`the hub was not ready after ${readyMillisMax / 1_000} s`)
    await pause(pollMillis)
  }
}

const sampleProviders = () => [
  {
    type: sampleType,
    category: "acp",
    displayName: "Sample agent",
    command: process.execPath,
    args: [fileURLToPath(new URL("sample/agent.ts", import.meta.url))]
  }
]

const startDaemon = (stage: Stage, url: string, token: string): void => {
  const file = (name: string, text: string): string => {
    const path = join(stage.folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const work = join(stage.folder, "work")
  mkdirSync(work)
  const tokenFile = file("token", token)
  const providers = file("providers.json", JSON.stringify(sampleProviders()))
  const where = ["--url", url, "--token-file", tokenFile, "--providers", providers]
  start(stage, "daemon", ["daemon", ...where, "--name", "demo", "--dir", work])
}

const perform = async (stage: Stage, keep: boolean): Promise<void> => {
  print(`# A hub starts, its data in ${stage.folder}`)
  start(stage, "hub", ["start"])
  const url = await ready(stage)
  print(`# It serves on ${url}`)
  const login = { email: "demo@example.com", password: randomBytes(18).toString("hex") }
  const account = ["account", "create", "--email", login.email, "--password", login.password, "--plan", "pro"]
  const { accountId } = await askHubProgram(account, stage.env)
  const { key } = await askHubProgram(["key", "create", "--account", String(accountId), "--scopes", scopes], stage.env)
  const { token } = await askHubProgram(["token", "create", "--account", String(accountId)], stage.env)
  print("# An account, an API key and a daemon token are made; the daemon starts")
  startDaemon(stage, url, String(token))
  await walk(new Caller(url, String(key), print, () => alive(stage)), login, keep)
  if (!keep) return
  for (const one of stage.running) one.release()
  print(
    `\n# Both go on. Try it:\nexport HUB=${url} KEY=${key}\n${'curl -s "$HUB/api/v1/daemons" -H "Authorization: Bearer $KEY"'}`
  )
  print(`# The console: ${url}/console, e-mail ${login.email}, password ${login.password}`)
  print(`# To stop them: kill ${stage.running.map(({ pid }) => pid).join(" ")}; rm -r ${stage.folder}`)
}

const finish = async (stage: Stage): Promise<void> => {
  for (const one of [...stage.running].reverse()) await one.end()
  rmSync(stage.folder, { recursive: true, force: true })
}

const exitInterrupted = 130

/**
 * Shows it. Gives 0 when everything was answered as expected, 1 when not, 2 when called wrongly, 130 when interrupted.
 */
export const demo = async (args: ReadonlyArray<string>): Promise<number> => {
  if (asksHelp(args)) {
    print(usage)
    return 0
  }
  let keep: boolean
  try {
    keep = readArguments({ name: "it", flags }, args).values.keep === true
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error
    process.stderr.write(plainLines(`hub demo: ${error.message}\n\n${usage}`))
    return 2
  }
  const folder = mkdtempSync(join(tmpdir(), "hub-demo-"))
  const env = { HUB_HOST: "127.0.0.1", HUB_PORT: "0", HUB_DATA_DIR: join(folder, "hub-data") }
  const stage: Stage = { folder, env, running: [], interrupted: false }
  const interrupt = (): void => {
    if (stage.interrupted) process.exit(exitInterrupted)
    stage.interrupted = true
    for (const { pid, ended } of stage.running) if (ended() === undefined) process.kill(pid, "SIGTERM")
  }
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, interrupt)
  try {
    await perform(stage, keep)
    if (!keep) await finish(stage)
    print("\n# Everything was answered as it should be.")
    return 0
  } catch (error) {
    if (!stage.interrupted) {
      process.stderr.write(plainLines(`\nhub demo failed: ${words(error)}\n`))
      for (const one of stage.running)
        process.stderr.write(plainLines(`\nThe last of what the ${one.name} said:\n${one.tail()}\n`))
    }
    await finish(stage)
    return stage.interrupted ? exitInterrupted : 1
  }
}
