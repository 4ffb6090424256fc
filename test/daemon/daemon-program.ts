/** `hub daemon` as a process. Owns its start and, with the test that started it, its end. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { afterEach } from "vitest"
import { hubProgram } from "../support/hub-program.ts"

/** Gives what starts it with these arguments and this environment; `said`: what it wrote to stderr. */
export const useDaemonProgram = () => {
  const children: Array<ChildProcess> = []
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL")
  })
  return (args: ReadonlyArray<string>, env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [hubProgram, "daemon", ...args], { env })
    children.push(child)
    let said = ""
    child.stderr.on("data", (chunk) => {
      said += chunk
    })
    const ended = once(child, "close").then(([code]) => code as number | null)
    return { child, ended, said: () => said }
  }
}
