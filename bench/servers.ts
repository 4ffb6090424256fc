/** Child processes of a bench: started, spoken to over their first line of output, ended by id. Owns no scenario. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createConnection } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { freePort } from "./postgresServer.ts"

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
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
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
    stop: async () => {
      child.kill("SIGTERM")
      const gone = await Promise.race([ended.then(() => true), pause(15_000, false)])
      if (!gone) child.kill("SIGKILL")
      await ended
    }
  }
}

/** Starts a TypeScript file of this folder under this Node, on this core if one is given. */
export const startProgram = (
  file: string,
  args: ReadonlyArray<string>,
  environment: Record<string, string> = {},
  core?: number
): Child => {
  const words = [process.execPath, fileURLToPath(new URL(file, import.meta.url)), ...args]
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

/** A throwaway Redis; `durable` writes an append-only file each second, as BullMQ's documentation asks for. */
export const startRedis = async (
  durable: boolean
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> => {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), "hub-bench-redis-"))
  const child = spawn(
    "redis-server",
    [
      "--port",
      String(port),
      "--bind",
      "127.0.0.1",
      "--dir",
      folder,
      "--save",
      "",
      "--appendonly",
      durable ? "yes" : "no"
    ],
    { stdio: "ignore" }
  )
  const failed = new Promise<never>((_, reject) =>
    child.once("error", (cause) =>
      reject(new Error("this bench needs redis-server: apt-get install redis-server", { cause }))
    )
  )
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const up = async () => {
    for (let tries = 0; tries < 200; tries++) {
      if (await answers(port)) return
      await pause(25)
    }
    throw new Error("redis-server did not start")
  }
  await Promise.race([up(), failed])
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      child.kill("SIGTERM")
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
