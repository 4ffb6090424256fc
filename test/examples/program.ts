/** Runs the programs of examples/ as their readers do. Owns each process and what it prints; judges nothing. */
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { has } from "../support/machine.ts"
import { root } from "../support/root.ts"
import { until } from "../support/until.ts"

// a test that ends early leaves no program behind
const orphans = new Set<ChildProcess>()
process.once("exit", () => {
  for (const orphan of orphans) orphan.kill("SIGKILL")
})

/** One that runs. */
export interface Program {
  /** Everything that it printed, standard error too. */
  readonly said: () => string
  /** Waits until it has printed this. Throws when it ends before. */
  readonly until: (text: string) => Promise<void>
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>
}

/** Starts a file of examples/ with an interpreter: Node, or Python 3. */
export const startProgram = (
  interpreter: "node" | "python3",
  file: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Program => {
  const command = interpreter === "node" ? process.execPath : interpreter
  const child: ChildProcess = spawn(command, [join(root, "examples", file), ...args], {
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/", PYTHONDONTWRITEBYTECODE: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  orphans.add(child)
  let text = ""
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (some: Buffer) => (text += some.toString()))
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code) => {
      orphans.delete(child)
      resolve(code)
    })
  })
  let over = false
  void ended.finally(() => {
    over = true
  })
  return {
    said: () => text,
    until: async (wanted) => {
      await until(wanted, () => text.includes(wanted) || over)
      if (!text.includes(wanted)) throw new Error(`it ended without "${wanted}":\n${text}`)
    },
    ended,
    kill: async (signal = "SIGTERM") => {
      child.kill(signal)
      await ended
    }
  }
}

/** Whether Python 3 is not here. */
export const pythonMissing = !has.python
