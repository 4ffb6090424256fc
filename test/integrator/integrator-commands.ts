/** Runs the integrator's commands in a test, at a terminal that is written down. Owns that terminal. */
import { integrator } from "../../integrator/main.ts"
import { pause } from "../../integrator/pause.ts"
import type { IntegratorWord } from "../../src/cli/integrator-words.ts"

/** Settings of the environment. */
export type Env = Readonly<Record<string, string>>

/** How a command waits: the signal ends it. */
type Pause = (millis: number, signal: AbortSignal) => Promise<void>

const terminalOf = (waits: Pause, answers: ReadonlyArray<string> = [], isInteractive = false) => {
  const said: Array<string> = []
  const complained: Array<string> = []
  const controller = new AbortController()
  let asked = 0
  const terminal = {
    say: (line: string) => void said.push(line),
    sayJson: (value: unknown) => void said.push(JSON.stringify(value)),
    complain: (line: string) => void complained.push(line),
    pass: (bytes: Uint8Array) => void said.push(Buffer.from(bytes).toString("hex")),
    ask: async () => answers[asked++] ?? "",
    isInteractive,
    signal: controller.signal,
    pause: (millis: number) => waits(millis, controller.signal)
  }
  return { terminal, said, complained, interrupt: () => controller.abort() }
}

/** The commands of a user whose settings are in this folder; they wait in real time unless it is said otherwise. */
export const integratorCommands = (home: () => string, waits: Pause = pause) => {
  /** Starts one. */
  const start = (
    command: IntegratorWord,
    args: ReadonlyArray<string>,
    env: Env = {},
    answers?: ReadonlyArray<string>,
    isInteractive?: boolean
  ) => {
    const all = terminalOf(waits, answers, isInteractive)
    return { ...all, ended: integrator(command, args, { XDG_CONFIG_HOME: home(), ...env }, all.terminal) }
  }
  /** Runs one to its end. */
  const run = async (...given: Parameters<typeof start>) => {
    const { ended, said, complained } = start(...given)
    return { code: await ended, said, complained }
  }
  return { start, run }
}
