/** The terminal of the integrator's commands. Owns how lines are shown and secrets are asked for. */
import { createInterface } from "node:readline"
import { plainJson, plainLines } from "../src/runtime/escape.ts"
import { pause } from "./pause.ts"
import { Refusal } from "./refusal.ts"

/** What a command reads from, writes to, and is interrupted by. */
export interface Terminal {
  readonly say: (line: string) => void
  /** Exactly one JSON value on a line. */
  readonly sayJson: (value: unknown) => void
  readonly complain: (line: string) => void
  /** Bytes as they are; refused where a terminal is to show them, which might obey them. */
  readonly pass: (bytes: Uint8Array) => void
  /**
   * A line of standard input; where that is a terminal, `question` is asked and a secret is not shown. Rejects with
   * `Interrupted` where it is not answered.
   */
  readonly ask: (question: string, secret?: boolean) => Promise<string>
  /** Whether a person may be asked: standard input is a terminal. */
  readonly isInteractive: boolean
  /** Aborted by Ctrl-C, by SIGTERM, and where nothing more can be written to standard output. */
  readonly signal: AbortSignal
  /** Waits so many milliseconds, or until the signal. */
  readonly pause: (millis: number) => Promise<void>
}

/** The person ended the command instead of answering. */
export class Interrupted extends Error {
  override readonly name = "Interrupted"
}

const ask = (question: string, secret: boolean, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const { stdin, stderr } = process
    const isTerminal = stdin.isTTY === true
    const lines = createInterface({ input: stdin, output: isTerminal ? stderr : undefined, terminal: isTerminal })
    const end = (): void => lines.close()
    signal.addEventListener("abort", end)
    if (isTerminal) stderr.write(question)
    // what is typed is echoed by the interface's own writing
    if (secret && isTerminal) Object.assign(lines, { _writeToOutput: () => undefined })
    // in raw mode the terminal sends no signal
    lines.once("SIGINT", end)
    lines.once("line", (line) => {
      resolve(line.trim())
      lines.close()
    })
    lines.once("close", () => {
      signal.removeEventListener("abort", end)
      if (isTerminal) stderr.write(secret ? "\n" : "")
      // Ctrl-C, Ctrl-D or a signal at a terminal; a pipe that ends without a line says nothing
      if (isTerminal || signal.aborted) reject(new Interrupted("interrupted"))
      else resolve("")
    })
    if (signal.aborted) end()
  })

/** The terminal of this process. */
export const processTerminal = (): Terminal => {
  const controller = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort())
  // who read it has left (`| head`)
  process.stdout.once("error", () => controller.abort())
  return {
    say: (line) => void process.stdout.write(plainLines(`${line}\n`)),
    sayJson: (value) => void process.stdout.write(`${plainJson(JSON.stringify(value))}\n`),
    complain: (line) => void process.stderr.write(plainLines(`${line}\n`)),
    pass: (bytes) => {
      if (process.stdout.isTTY) throw new Refusal("the answer is no text: write it into a file (> FILE)")
      process.stdout.write(bytes)
    },
    ask: (question, secret = false) => ask(question, secret, controller.signal),
    isInteractive: process.stdin.isTTY === true,
    signal: controller.signal,
    pause: (millis) => pause(millis, controller.signal)
  }
}
