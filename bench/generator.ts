/** A generator (fleetProcess.ts) as its parent sees it: started on a core of its own, asked, ended. Owns the child process. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Jobs, Reply } from "./fleetProcess.ts"
import { endChild, reaped } from "./reap.ts"

const patienceMillis = 15_000
const lowestPriority = "19"

/** A running generator. */
export interface Generator {
  readonly pid: number
  readonly ask: <K extends keyof Jobs>(job: K, asks: Jobs[K]["asks"]) => Promise<Jobs[K]["gives"]>
  readonly stop: () => Promise<void>
}

/** Starts a generator, on this core if one is given; `yielding`: whoever else is on that core goes first. */
export const startGenerator = (core?: number, yielding = false): Generator => {
  const program = [
    process.execPath,
    "--max-old-space-size=4096",
    fileURLToPath(new URL("fleetProcess.ts", import.meta.url))
  ]
  const [file, ...words] = [
    ...(yielding ? ["nice", "-n", lowestPriority] : []),
    ...(core === undefined ? [] : ["taskset", "-c", String(core)]),
    ...program
  ]
  const child = spawn(file!, words, { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  const waiting = new Map<number, { readonly done: (gives: never) => void; readonly fail: (error: Error) => void }>()
  let last = 0
  const ended = reaped(child)
  child.once("exit", (code) => {
    for (const { fail } of waiting.values()) fail(new Error(`the generator ended with ${code}`))
    waiting.clear()
  })
  child.on("message", ({ id, gives, failed }: Reply) => {
    const asker = waiting.get(id)
    waiting.delete(id)
    if (failed !== undefined) asker?.fail(new Error(failed))
    else asker?.done(gives as never)
  })
  return {
    pid: child.pid!,
    ask: (job, asks) =>
      new Promise((done, fail) => {
        const id = ++last
        waiting.set(id, { done, fail })
        child.send({ id, job, asks }, (error) => {
          if (error !== null && waiting.delete(id)) fail(error)
        })
      }),
    stop: () => endChild(child, ended, "SIGTERM", patienceMillis)
  }
}
