/**
 * wrk, for what no generator in JavaScript can saturate. Owns its script and the reading of its words; says where it is
 * missing.
 */
import { execFile, execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { removeFolder, scratchFolder, whenEnded } from "../servers/child-process.ts"

const run = promisify(execFile)
const graceMillis = 30_000

/** One request of a load. */
export interface Ask {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** What wrk counted. */
export interface WrkResult {
  readonly answered: number
  readonly seconds: number
  /** Answers that were neither 2xx nor 3xx, and connections that failed. */
  readonly bad: number
}

/** Whether wrk is here. */
export const hasWrk = (): boolean => {
  try {
    execFileSync("wrk", ["-v"], { stdio: "ignore" })
    return true
  } catch (error) {
    // it exits 1 after showing its version
    return (error as NodeJS.ErrnoException).code !== "ENOENT"
  }
}

const lua = (text: string): string =>
  `"${text.replace(/[\\"\r\n]/gu, (sign) => `\\${sign.charCodeAt(0).toString().padStart(3, "0")}`)}"`

/** One request is made once and sent as it is; many are made at the start and taken in turn. */
const script = (asks: ReadonlyArray<Ask>): string => {
  const headers = (ask: Ask): string =>
    `{${Object.entries(ask.headers)
      .map(([name, value]) => `[${lua(name)}]=${lua(value)}`)
      .join(",")}}`
  const first = asks[0]!
  if (asks.length === 1)
    return [
      `wrk.method = ${lua(first.method)}`,
      `wrk.path = ${lua(first.path)}`,
      `wrk.headers = ${headers(first)}`,
      first.body === undefined ? "" : `wrk.body = ${lua(first.body)}`
    ].join("\n")
  const rows = asks.map(
    (ask) => `{${lua(ask.method)},${lua(ask.path)},${headers(ask)},${ask.body === undefined ? "nil" : lua(ask.body)}}`
  )
  return [
    `local asks = {${rows.join(",\n")}}`,
    "local made, at = {}, 0",
    "function init() for i, ask in ipairs(asks) do made[i] = wrk.format(ask[1], ask[2], ask[3], ask[4]) end end",
    "function request() at = at % #made + 1; return made[at] end"
  ].join("\n")
}

const millisOf: Record<string, number> = { us: 1e-6, ms: 1e-3, s: 1, m: 60 }

/** Runs wrk to its end, on this core if one is given. */
export const wrk = async (
  url: string,
  asks: ReadonlyArray<Ask>,
  connections: number,
  seconds: number,
  core?: number
): Promise<WrkResult> => {
  const folder = scratchFolder("hub-bench-wrk-")
  try {
    const file = join(folder, "load.lua")
    writeFileSync(file, script(asks))
    const words = ["wrk", "-t1", `-c${connections}`, `-d${Math.max(1, Math.round(seconds))}s`, "--timeout", "30s"]
    const pinned = core === undefined ? words : ["taskset", "-c", String(core), ...words]
    const running = run(pinned[0]!, [...pinned.slice(1), "-s", file, url], {
      encoding: "utf8",
      timeout: seconds * 1_000 + graceMillis
    })
    void whenEnded(running.child)
    const { stdout } = await running
    const total = /(\d+) requests in ([\d.]+)(us|ms|s|m)/u.exec(stdout)
    if (total === null) throw new Error(`wrk said nothing of use:\n${stdout}`)
    const wrong = /Non-2xx or 3xx responses: (\d+)/u.exec(stdout)
    const errors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/u.exec(stdout)
    return {
      answered: Number(total[1]),
      seconds: Number(total[2]) * millisOf[total[3]!]!,
      bad: Number(wrong?.[1] ?? 0) + (errors?.slice(1).reduce((sum, count) => sum + Number(count), 0) ?? 0)
    }
  } finally {
    removeFolder(folder)
  }
}
