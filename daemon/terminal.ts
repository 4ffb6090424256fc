/**
 * Terminal commands. Owns running one in the computer's shell: where, how long, how much output. The whole process
 * group is killed when the shell ends or its time is over.
 */
import { statSync } from "node:fs"
import { isAbsolute, resolve } from "node:path"
import type { Clock } from "./clock.ts"
import type { EventLog } from "./event-log.ts"
import { answerMillis, durableMillisMax, outputDrainMillis, terminalMillisMax, terminalsMax } from "./limits.ts"
import type { Logs } from "./logs.ts"
import { endGroup, killGroup, startGroup } from "./process-group.ts"
import { Refusal, requiredText, textOf } from "./refusal.ts"
import { readOutput } from "./terminal-output.ts"
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

/** How long one may run: our own bound, or what the hub still waits, whichever is less. */
export const terminalMillis = (deadlineMs: number, durable: boolean): number =>
  Math.max(1, Math.min(durable ? durableMillisMax : terminalMillisMax, deadlineMs - answerMillis))

/** The terminals of one daemon. */
export class Terminals {
  readonly #clock: Clock
  readonly #base: string
  readonly #logs: Logs
  readonly #running = new Set<() => void>()

  constructor(clock: Clock, base: string, logs: Logs) {
    this.#clock = clock
    this.#base = base
    this.#logs = logs
  }

  /** Runs `{command, name?, cwd?}`. */
  async run({ id, payload, deadlineMs, durable }: Command, cancelled: AbortSignal): Promise<TerminalResult> {
    const command = requiredText(payload, "command")
    const cwd = folder(this.#base, textOf(payload, "cwd"))
    if (this.#running.size >= terminalsMax) {
      throw new Refusal("busy", `${terminalsMax} terminal commands are running on this machine already`)
    }
    const name: LogName = { kind: "command", id }
    const log = this.#logs.open(name)
    try {
      return await this.#shell(command, cwd, terminalMillis(deadlineMs, durable), log, cancelled)
    } finally {
      this.#logs.end(name)
    }
  }

  #shell(command: string, cwd: string, millis: number, log: EventLog, cancelled: AbortSignal): Promise<TerminalResult> {
    const clock = this.#clock
    const started = clock.steady()
    const child = startGroup("/bin/sh", ["-c", command], { cwd, stdio: ["ignore", "pipe", "pipe"] })
    const stdout = readOutput(child.stdout!, "stdout", log, clock)
    const stderr = readOutput(child.stderr!, "stderr", log, clock)
    return new Promise((resolve, reject) => {
      let late = false
      const stop = (): void => killGroup(child)
      const cancel = (): void => void endGroup(child, clock)
      this.#running.add(stop)
      const cancelDeadline = clock.after(millis, () => {
        late = true
        stop()
      })
      cancelled.addEventListener("abort", cancel, { once: true })
      const over = (): void => {
        cancelDeadline()
        cancelDrain?.()
        cancelled.removeEventListener("abort", cancel)
        this.#running.delete(stop)
      }
      child.once("error", (error) => {
        over()
        reject(new Refusal("terminal_failed", `the shell could not be started: ${error.message}`))
      })
      let cancelDrain: (() => void) | undefined
      child.once("exit", () => {
        // What the shell left running would hold its pipes open, and outlive the answer.
        stop()
        // So does what moved to a session of its own, which no signal to the group reaches: it is read no further.
        cancelDrain = clock.after(outputDrainMillis, () => {
          child.stdout!.destroy()
          child.stderr!.destroy()
        })
      })
      child.once("close", (exitCode, signal) => {
        over()
        const how = { exitCode, ...(signal === null ? {} : { signal }) }
        log.add({ type: "exit", timestamp: clock.now(), ...how })
        if (cancelled.aborted) return reject(new Refusal("cancelled", "the command was cancelled and ended"))
        if (late) {
          return reject(new Refusal("terminal_timeout", `the command ran longer than ${millis} ms and was ended`))
        }
        const durationMs = clock.steady() - started
        const truncated = stdout.cut() || stderr.cut()
        resolve({ ...how, stdout: stdout.text(), stderr: stderr.text(), durationMs, truncated })
      })
    })
  }

  /** Ends every running command. */
  stop(): void {
    for (const stop of [...this.#running]) stop()
  }
}
