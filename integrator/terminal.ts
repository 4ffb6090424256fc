/** The terminal of the integrator's commands. Owns how lines are shown and secrets are asked for. */
import { createInterface } from "node:readline"
import { plainJson, plainLines } from "../src/runtime/escape.ts"
import { pause } from "./pause.ts"

/** What a command reads from, writes to, and is interrupted by. */
export interface Terminal {
  readonly say: (line: string) => void
  /** Exactly one JSON value on a line. */
  readonly sayJson: (value: unknown) => void
  readonly complain: (line: string) => void
  /** A line of standard input; where that is a terminal, `question` is asked and a secret is not shown. */
  readonly ask: (question: string, secret?: boolean) => Promise<string>
  /** Whether a person may be asked: standard input is a terminal. */
  readonly isInteractive: boolean
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal
  /** Waits so many milliseconds, or until the signal. */
  readonly pause: (millis: number) => Promise<void>
}

const ask = (question: string, secret: boolean): Promise<string> =>
  new Promise((resolve) => {
    const { stdin, stderr } = process
    const lines = createInterface({
      input: stdin,
      output: stdin.isTTY ? stderr : undefined,
      terminal: stdin.isTTY === true
    })
    if (stdin.isTTY) stderr.write(question)
    // what is typed is echoed by the interface's own writing
    if (secret && stdin.isTTY) Object.assign(lines, { _writeToOutput: () => undefined })
    lines.once("line", (line) => {
      resolve(line.trim())
      lines.close()
      if (secret && stdin.isTTY) stderr.write("\n")
    })
    lines.once("close", () => resolve(""))
  })

/** The terminal of this process. */
export const processTerminal = (): Terminal => {
  const controller = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort())
  return {
    say: (line) => void process.stdout.write(plainLines(`${line}\n`)),
    sayJson: (value) => void process.stdout.write(`${plainJson(JSON.stringify(value))}\n`),
    complain: (line) => void process.stderr.write(plainLines(`${line}\n`)),
    ask: (question, secret = false) => ask(question, secret),
    isInteractive: process.stdin.isTTY === true,
    signal: controller.signal,
    pause: (millis) => pause(millis, controller.signal)
  }
}
