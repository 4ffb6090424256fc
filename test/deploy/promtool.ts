/**
 * Prometheus' own checker, for tests: of metrics, rules and their unit tests. Owns how it is called; in CI its absence
 * fails the test, elsewhere `hasPromtool` tells.
 */
import { spawnSync } from "node:child_process"

const found = spawnSync("promtool", ["--version"], { stdio: "ignore" }).status === 0

/** Whether there is a promtool to test with. */
export const hasPromtool = found
if (!hasPromtool && process.env["CI"] === "true") throw new Error("the tests need promtool (package prometheus)")

/** Runs it on this input; what it says, and its exit code. */
export const promtool = (args: ReadonlyArray<string>, input = ""): { readonly code: number; readonly said: string } => {
  const { status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8", maxBuffer: 16_777_216 })
  return { code: status ?? -1, said: `${stdout}${stderr}` }
}
