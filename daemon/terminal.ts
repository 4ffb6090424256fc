/**
 * Terminal commands. Owns running one in the computer's shell: where, how long, how much output. The whole process
 * group is killed when the shell ends or its time is over.
 */
import { statSync } from "node:fs"
import { isAbsolute, resolve } from "node:path"
import type { Readable } from "node:stream"
import type { Clock } from "./clock.ts"
import { answerMillis, outputBytesMax, terminalMillisMax, terminalsMax } from "./limits.ts"
import { killGroup, startGroup } from "./process-group.ts"
import { Refusal, requiredText, textOf } from "./refusal.ts"

/** What a finished terminal command gives. `exitCode` is null when a signal ended the shell. */
export interface TerminalResult {
  readonly exitCode: number | null
  readonly signal?: string
  readonly stdout: string
  readonly stderr: string
  readonly durationMs: number
  readonly truncated: boolean
}

/** What is kept of one stream. */
const keep = (stream: Readable): { readonly text: () => string; readonly cut: () => boolean } => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  let cut = false
  stream.on("data", (chunk: Buffer) => {
    const room = outputBytesMax - bytes
    if (chunk.length > room) cut = true
    if (room <= 0) return // Read and discard: a program that fills its pipe would wait without end.
    chunks.push(chunk.subarray(0, room))
    bytes += Math.min(chunk.length, room)
  })
  stream.on("error", () => undefined)
  return { text: () => new TextDecoder().decode(Buffer.concat(chunks)), cut: () => cut }
}

/** The folder a command runs in: absolute, or below the daemon's own. A refusal when it is not there. */
export const folder = (base: string, wanted: string | undefined): string => {
  const path = wanted === undefined || wanted === "" ? base : isAbsolute(wanted) ? wanted : resolve(base, wanted)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Refusal("no_such_folder", `there is no folder ${path} on this machine`)
  }
  return path
}

/** How long one may run: our own bound, or what the hub still waits, whichever is less. */
export const terminalMillis = (deadlineMs: number): number =>
  Math.max(1, Math.min(terminalMillisMax, deadlineMs - answerMillis))

/** The terminals of one daemon. */
export class Terminals {
  readonly #clock: Clock
  readonly #base: string
  readonly #running = new Set<() => void>()

  constructor(clock: Clock, base: string) {
    this.#clock = clock
    this.#base = base
  }

  /** Runs `{command, name?, cwd?}`. */
  async run(payload: Readonly<Record<string, unknown>>, deadlineMs: number): Promise<TerminalResult> {
    const command = requiredText(payload, "command")
    const cwd = folder(this.#base, textOf(payload, "cwd"))
    if (this.#running.size >= terminalsMax) {
      throw new Refusal("busy", `${terminalsMax} terminal commands are running on this machine already`)
    }
    return await this.#shell(command, cwd, terminalMillis(deadlineMs))
  }

  #shell(command: string, cwd: string, millis: number): Promise<TerminalResult> {
    const started = this.#clock.steady()
    const child = startGroup("/bin/sh", ["-c", command], { cwd, stdio: ["ignore", "pipe", "pipe"] })
    const stdout = keep(child.stdout!)
    const stderr = keep(child.stderr!)
    return new Promise((resolve, reject) => {
      let late = false
      const stop = (): void => killGroup(child)
      this.#running.add(stop)
      const cancel = this.#clock.after(millis, () => {
        late = true
        stop()
      })
      const over = (): void => {
        cancel()
        this.#running.delete(stop)
      }
      child.once("error", (error) => {
        over()
        reject(new Refusal("terminal_failed", `the shell could not be started: ${error.message}`))
      })
      // What the shell left running would hold its pipes open, and outlive the answer.
      child.once("exit", stop)
      child.once("close", (code, signal) => {
        over()
        if (late)
          return reject(new Refusal("terminal_timeout", `the command ran longer than ${millis} ms and was ended`))
        resolve({
          exitCode: code,
          ...(signal === null ? {} : { signal }),
          stdout: stdout.text(),
          stderr: stderr.text(),
          durationMs: this.#clock.steady() - started,
          truncated: stdout.cut() || stderr.cut()
        })
      })
    })
  }

  /** Ends every running command. */
  stop(): void {
    for (const stop of [...this.#running]) stop()
  }
}
