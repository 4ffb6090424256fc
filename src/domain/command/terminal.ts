/** Terminal commands: their valid input, and how much output is passed on. Owns these rules; runs nothing. */
import { Result } from "effect"
import { type Issue, ValidationFailed } from "../../errors.ts"
import {
  exitCodeMax,
  exitCodeMin,
  pathCharsMax,
  terminalCommandBytesMax,
  terminalMillisMax,
  terminalOutputBytesMax,
  wordCharsMax
} from "../../limits.ts"
import { cutToBytes } from "../text/truncate.ts"

/** What a caller asks for. */
export interface TerminalGiven {
  readonly command: string
  readonly name?: string
  readonly cwd?: string
}

/** What came of it. `null`: the daemon did not say. */
export interface TerminalResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly durationMs: number | null
  readonly truncated: boolean
}

/** Checks what is asked. */
export const readTerminal = (given: TerminalGiven): Result.Result<TerminalGiven, ValidationFailed> => {
  const issues: Array<Issue> = []
  if (given.command.trim() === "") issues.push({ path: "command", message: "Says nothing" })
  if (Buffer.byteLength(given.command) > terminalCommandBytesMax) {
    issues.push({ path: "command", message: `At most ${terminalCommandBytesMax} bytes` })
  }
  if ((given.name?.length ?? 0) > wordCharsMax)
    issues.push({ path: "name", message: `At most ${wordCharsMax} characters` })
  if ((given.cwd?.length ?? 0) > pathCharsMax)
    issues.push({ path: "cwd", message: `At most ${pathCharsMax} characters` })
  if (issues.length > 0) return Result.fail(new ValidationFailed({ issues }))
  const { command, name, cwd } = given
  return Result.succeed({ command, ...(name ? { name } : {}), ...(cwd ? { cwd } : {}) })
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")
/** A whole number between two, whatever a daemon says; null when it says none. */
const clamped = (value: unknown, least: number, most: number): number | null =>
  typeof value === "number" && !Number.isNaN(value) ? Math.min(most, Math.max(least, Math.trunc(value))) + 0 : null

/**
 * A daemon's result, its output cut to the bound: each stream keeps at least half of it before the other takes more.
 */
export const terminalResult = (result: Readonly<Record<string, unknown>>): TerminalResult => {
  const stdout = text(result["stdout"])
  const stderr = text(result["stderr"])
  const half = terminalOutputBytesMax / 2
  const errorBytes = Math.min(
    Buffer.byteLength(stderr),
    Math.max(half, terminalOutputBytesMax - Buffer.byteLength(stdout))
  )
  const storedError = cutToBytes(stderr, errorBytes)
  const storedOutput = cutToBytes(stdout, terminalOutputBytesMax - Buffer.byteLength(storedError))
  return {
    exitCode: clamped(result["exitCode"], exitCodeMin, exitCodeMax),
    stdout: storedOutput,
    stderr: storedError,
    durationMs: clamped(result["durationMs"], 0, terminalMillisMax),
    truncated: result["truncated"] === true || storedOutput.length < stdout.length || storedError.length < stderr.length
  }
}
