/** Child processes of a bench: started, spoken to over their first line of output, ended by id. Owns no scenario. */
import { type ChildProcess, spawn } from "node:child_process"
import { createConnection } from "node:net"
import { createInterface } from "node:readline"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { UsageError } from "../usage-error.ts"
import { endChild, removeFolder, scratchFolder, whenEnded } from "./child-process.ts"
import { freePort } from "./free-port.ts"

const patienceMillis = 15_000

/** A program of this folder, as a child. */
export interface Child {
  readonly pid: number
  /** The next line it prints, read as JSON; fails when it ends first. */
  readonly line: () => Promise<Record<string, unknown>>
  readonly stop: () => Promise<void>
}

const wrap = (child: ChildProcess, name: string): Child => {
  const lines: Array<string> = []
  const takers: Array<{ readonly take: (line: string) => void; readonly fail: (error: Error) => void }> = []
  createInterface({ input: child.stdout! }).on("line", (line) => {
    const taker = takers.shift()
    if (taker === undefined) lines.push(line)
    else taker.take(line)
  })
  const ended = whenEnded(child)
  child.once("exit", (code) => {
    for (const taker of takers.splice(0)) taker.fail(new Error(`${name} ended with ${code}`))
  })
  return {
    pid: child.pid!,
    line: () =>
      new Promise<string>((take, fail) => {
        const line = lines.shift()
        if (line !== undefined) take(line)
        else if (child.exitCode !== null) fail(new Error(`${name} ended with ${child.exitCode}`))
        else takers.push({ take, fail })
      }).then((line) => JSON.parse(line) as Record<string, unknown>),
    stop: () => endChild(child, ended, "SIGTERM", patienceMillis)
  }
}

/**
 * How Node is started on a core of its own, as `./hub` does on a machine of one core: the hub, and what it is
 * compared with.
 */
export const onOneCore: ReadonlyArray<string> = ["--v8-pool-size=1"]

/**
 * Starts a TypeScript file of the bench, named from its folder, by this Node, on this core if one is given. `under`:
 * the program that runs Node, with its words.
 */
export const startProgram = (
  file: string,
  args: ReadonlyArray<string>,
  environment: Record<string, string> = {},
  core?: number,
  under: ReadonlyArray<string> = []
): Child => {
  const flags = core === undefined ? [] : onOneCore
  const words = [...under, process.execPath, ...flags, fileURLToPath(new URL(`../${file}`, import.meta.url)), ...args]
  const pinned = core === undefined ? words : ["taskset", "-c", String(core), ...words]
  return wrap(
    spawn(pinned[0]!, pinned.slice(1), {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...environment }
    }),
    file
  )
}

/** Runs a program of this folder to its end and gives its one line. */
export const runProgram = async (file: string, args: ReadonlyArray<string>): Promise<Record<string, unknown>> => {
  const child = startProgram(file, args)
  try {
    return await child.line()
  } finally {
    await child.stop()
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1")
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

/** A server that others speak to over a port. */
export interface Broker {
  readonly url: string
  readonly pid: number
  readonly stop: () => Promise<void>
}

interface BrokerProgram {
  readonly program: string
  /** What to install where it is missing. */
  readonly from: string
  readonly scheme: string
  readonly words: (port: number, folder: string) => ReadonlyArray<string>
}

const startBroker = async ({ program, from, scheme, words }: BrokerProgram, core?: number): Promise<Broker> => {
  const port = await freePort()
  const folder = scratchFolder(`hub-bench-${scheme}-`)
  const said = words(port, folder)
  const child =
    core === undefined
      ? spawn(program, said, { stdio: "ignore" })
      : spawn("taskset", ["-c", String(core), program, ...said], { stdio: "ignore" })
  const ended = whenEnded(child)
  const failed = new Promise<never>((_, reject) => {
    const missing = (): void => reject(new UsageError(`this bench needs ${program}: apt-get install ${from}`))
    child.once("error", missing).once("exit", missing)
  })
  // it fails the wait below; once the server answers there is none
  failed.catch(() => undefined)
  const up = async () => {
    const patience = performance.now() + patienceMillis
    while (performance.now() < patience) {
      if (await answers(port)) return
      await pause(25)
    }
    throw new Error(`${program} did not start`)
  }
  try {
    await Promise.race([up(), failed])
  } catch (error) {
    await endChild(child, ended, "SIGTERM", patienceMillis)
    removeFolder(folder)
    throw error
  }
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    pid: child.pid!,
    stop: async () => {
      await endChild(child, ended, "SIGTERM", patienceMillis)
      removeFolder(folder)
    }
  }
}

/** A throwaway Redis; `durable` writes an append-only file each second, as BullMQ's documentation asks for. */
export const startRedis = (durable: boolean, core?: number): Promise<Broker> =>
  startBroker(
    {
      program: "redis-server",
      from: "redis-server",
      scheme: "redis",
      words: (port, folder) => {
        const files = ["--dir", folder, "--save", "", "--appendonly", durable ? "yes" : "no"]
        return ["--port", String(port), "--bind", "127.0.0.1", ...files]
      }
    },
    core
  )

/** A throwaway NATS server, as it comes. */
export const startNats = (core?: number): Promise<Broker> =>
  startBroker(
    {
      program: "nats-server",
      from: "nats-server",
      scheme: "nats",
      words: (port) => ["-a", "127.0.0.1", "-p", String(port)]
    },
    core
  )
