/**
 * Prometheus' own checker, for tests: of metrics, rules and their unit tests. Owns how it is called.
 */
import { spawnSync } from "node:child_process"
import { has } from "../support/machine.ts"

/** Whether there is a promtool to test with. */
export const hasPromtool = has.promtool

/** Runs it on this input; what it says, and its exit code. */
export const promtool = (args: ReadonlyArray<string>, input = ""): { readonly code: number; readonly said: string } => {
  const { status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8", maxBuffer: 16_777_216 })
  return { code: status ?? -1, said: `${stdout}${stderr}` }
}
