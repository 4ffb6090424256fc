/** `hub doctor` at a terminal: what it prints of the findings, and the exit code. The checks are in src/doctor/. */
import { Effect } from "effect"
import type { Settings } from "../config.ts"
import { diagnose } from "../doctor/doctor.ts"
import type { Finding, Severity } from "../doctor/finding.ts"
import { plain, plainJson } from "../runtime/escape.ts"
import { handOver } from "./print.ts"

const severityWidth = "warning".length

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

/** For a person: a line per finding, and what to do below it. */
const asLines = (findings: ReadonlyArray<Finding>): string => {
  const width = Math.max(0, ...findings.map(({ check }) => check.length))
  const margin = " ".repeat(severityWidth + width + 4)
  const lines = findings.flatMap(({ check, severity, found, remedy }) => [
    `${severity.padEnd(severityWidth)}  ${check.padEnd(width)}  ${plain(found)}`,
    ...(remedy === null ? [] : [`${margin}-> ${plain(remedy)}`])
  ])
  const count = (of: Severity): number => findings.filter(({ severity }) => severity === of).length
  return [...lines, `${counted(count("error"), "error")}, ${counted(count("warning"), "warning")}`, ""].join("\n")
}

/** As one JSON object. */
const asObject = (findings: ReadonlyArray<Finding>): string =>
  `${plainJson(JSON.stringify({ ok: findings.every(({ severity }) => severity !== "error"), findings }))}\n`

/** Looks, prints, and gives the exit code: 1 where a finding is an error. */
export const doctor = (settings: Settings, json: boolean): Effect.Effect<number> =>
  Effect.gen(function* () {
    const findings = yield* diagnose(settings)
    yield* handOver(json ? asObject(findings) : asLines(findings))
    return findings.some(({ severity }) => severity === "error") ? 1 : 0
  })
