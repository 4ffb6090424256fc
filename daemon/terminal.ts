/**
 * Terminal commands. Owns running one in the computer's shell: where, how long, how much output. The whole process
 * group is killed when the shell ends; when its time is over it is asked to end first.
 */
import { statSync } from "node:fs"
import { isAbsolute, resolve } from "node:path"
import type { Clock } from "./clock.ts"
import { commandMillis } from "./command-time.ts"
import type { EventLog } from "./event-log.ts"
import { outputBytesMax, outputDrainMillis, refusedOutputBytesMax, terminalMillisMax, terminalsMax } from "./limits.ts"
import type { Logs } from "./logs.ts"
import { endGroup, killGroup, startGroup } from "./process-group.ts"
import { Refusal, requiredText, textOf } from "./refusal.ts"
import { type Output, readOutput } from "./terminal-output.ts"
import type { Command, LogName } from "./wire.ts"

/** What a finished terminal command gives. `exitCode` is null when a signal ended the shell. */
export interface TerminalResult {
  readonly exitCode: number | null
  readonly signal?: string
  readonly stdout: string
  readonly stderr: string
  readonly durationMs: number
  readonly truncated: boolean
}

/** The folder a command runs in: absolute, or below the daemon's own. A refusal when it is not there. */
export const folder = (base: string, wanted: string | undefined): string => {
  const path = wanted === undefined || wanted === "" ? base : isAbsolute(wanted) ? wanted : resolve(base, wanted)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Refusal("no_such_folder", `there is no folder ${path} on this machine`)
  }
  return path
}

/** The terminals of one daemon. */
export class Terminals {
  readonly #clock: Clock
  readonly #base: string
  readonly #logs: Logs
  /** How each that runs is ended. */
  readonly #running = new Set<() => Promise<void>>()

  constructor(clock: Clock, base: string, logs: Logs) {
    this.#clock = clock
    this.#base = base
    this.#logs = logs
  }

  /** Runs `{command, name?, cwd?}`. */
  async run(asked: Command, cancelled: AbortSignal): Promise<TerminalResult> {
    const command = requiredText(asked.payload, "command")
    const cwd = folder(this.#base, textOf(asked.payload, "cwd"))
    if (this.#running.size >= terminalsMax) {
      throw new Refusal("busy", `${terminalsMax} terminal commands are running on this machine already`)
    }
    const name: LogName = { kind: "command", id: asked.id }
    const log = this.#logs.open(name)
    try {
      return await this.#shell({ command, cwd, millis: commandMillis(asked, terminalMillisMax) }, log, cancelled)
    } finally {
      this.#logs.end(name)
    }
  }

  #shell({ command, cwd, millis }: Shell, log: EventLog, cancelled: AbortSignal): Promise<TerminalResult> {
    const clock = this.#clock
    const started = clock.steady()
    const child = startGroup("/bin/sh", ["-c", command], { cwd, stdio: ["ignore", "pipe", "pipe"] })
    const outputs = [child.stdout!, child.stderr!] as const
    const stdout = readOutput(outputs[0], "stdout", log, clock)
    const stderr = readOutput(outputs[1], "stderr", log, clock)
    return new Promise((resolve, reject) => {
      let late = false
      let ending: Promise<void> | undefined
      let cancelDrain: (() => void) | undefined
      let closed = false
      /** Asks it to end, and kills what is left after a while. */
      const end = (): Promise<void> => (ending ??= endGroup(child, clock))
      this.#running.add(end)
      const cancelDeadline = clock.after(millis, () => {
        late = true
        void end()
      })
      cancelled.addEventListener("abort", end, { once: true })
      const over = (): void => {
        closed = true
        cancelDeadline()
        cancelDrain?.()
        cancelled.removeEventListener("abort", end)
        this.#running.delete(end)
      }
      child.once("error", (error) => {
        over()
        reject(new Refusal("terminal_failed", `the shell could not be started: ${error.message}`))
      })
      // What moved to a session of its own, which no signal to the group reaches, may hold the pipes: read no further.
      const drain = (): void => {
        if (closed) return
        cancelDrain = clock.after(outputDrainMillis, () => {
          for (const one of outputs) one.destroy()
        })
      }
      child.once("exit", () => {
        // What the shell left running would hold its pipes open, and outlive the answer. One that was asked to end may
        // still clean up.
        if (ending === undefined) killGroup(child)
        void (ending ?? Promise.resolve()).then(drain)
      })
      child.once("close", (exitCode, signal) => {
        over()
        const how = { exitCode, ...(signal === null ? {} : { signal }) }
        log.add({ type: "exit", timestamp: clock.now(), ...how })
        const gave = { ...how, durationMs: clock.steady() - started }
        const refusal = refusalOf(cancelled.aborted, late, millis, {
          ...gave,
          ...kept(stdout, stderr, refusedOutputBytesMax)
        })
        if (refusal === undefined) resolve({ ...gave, ...kept(stdout, stderr, outputBytesMax) })
        else reject(refusal)
      })
    })
  }

  /** Ends every running command. Resolves when nothing of them is left. */
  async stop(): Promise<void> {
    await Promise.all([...this.#running].map((end) => end()))
  }
}

interface Shell {
  readonly command: string
  readonly cwd: string
  readonly millis: number
}

const kept = (stdout: Output, stderr: Output, bytesMax: number) => ({
  stdout: stdout.text(bytesMax),
  stderr: stderr.text(bytesMax),
  truncated: stdout.cut(bytesMax) || stderr.cut(bytesMax)
})

/** Why one that has ended is refused, with what it had given until then; undefined: it ended by itself. */
const refusalOf = (cancelled: boolean, late: boolean, millis: number, gave: TerminalResult): Refusal | undefined => {
  if (cancelled) return new Refusal("cancelled", "the command was cancelled and ended", gave)
  if (!late) return undefined
  return new Refusal("terminal_timeout", `the command ran longer than ${millis / 1_000} s and was ended`, gave)
}
