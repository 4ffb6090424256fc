/**
 * A generator (process.ts, or another program that is asked over IPC) as its parent sees it: started on a core of its
 * own, asked, ended. Owns the child process.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { endChild, whenEnded } from "../servers/child-process.ts"
import type { Jobs, Reply } from "./process.ts"

const patienceMillis = 15_000
const lowestPriority = "19"

/** What a program may be asked: by the name of each job what it is told and what it gives. */
export type AskedJobs<J> = { readonly [K in keyof J]: { readonly asks: unknown; readonly gives: unknown } }

/** A running program that is asked over IPC. */
export interface AskedProgram<J extends AskedJobs<J>> {
  readonly pid: number
  readonly ask: <K extends keyof J>(job: K, asks: J[K]["asks"]) => Promise<J[K]["gives"]>
  readonly stop: () => Promise<void>
}

/** A running generator. */
export type Generator = AskedProgram<Jobs>

/** Starts a generator, on this core if one is given; `yielding`: other processes on that core go first. */
export const startGenerator = (core?: number, yielding = false): Generator =>
  startAsked<Jobs>("fleet/process.ts", core, yielding)

/** The same for another program of the bench, named from its folder. */
export const startAsked = <J extends AskedJobs<J>>(name: string, core?: number, yielding = false): AskedProgram<J> => {
  const program = [process.execPath, "--max-old-space-size=4096", fileURLToPath(new URL(`../${name}`, import.meta.url))]
  const [file, ...words] = [
    ...(yielding ? ["nice", "-n", lowestPriority] : []),
    ...(core === undefined ? [] : ["taskset", "-c", String(core)]),
    ...program
  ]
  const child = spawn(file!, words, { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  const waiting = new Map<number, { readonly done: (gives: never) => void; readonly fail: (error: Error) => void }>()
  let last = 0
  const ended = whenEnded(child)
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
