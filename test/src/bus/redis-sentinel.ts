/**
 * A Redis of a test's own that survives its master: a master, a replica and a Sentinel that watches them. Owns their
 * start, the master's death and their end; what a single server does is redis.ts's.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import { freePort } from "../../../bench/servers/free-port.ts"
import { until } from "../../support/until.ts"

const name = "mymaster"
/**
 * How long the Sentinel waits for a silent master: one that stands still on a busy machine lives; one that was killed
 * is found at once, since a test waits with it.
 */
const downMillis = { alive: 60_000, killed: 500 } as const

/** The three. */
export interface TestSentinel {
  readonly url: string
  /** Kills the master; ends when the Sentinel has made the replica one. */
  readonly failOver: () => Promise<void>
  readonly close: () => Promise<void>
}

interface Server {
  readonly port: number
  readonly kill: () => Promise<void>
}

const ask = async (port: number, command: string, ...args: ReadonlyArray<string | number>): Promise<unknown> => {
  const client = new Redis({ port, host: "127.0.0.1", retryStrategy: () => null, maxRetriesPerRequest: 0 })
  client.on("error", () => {})
  try {
    return await client.call(command, [...args])
  } finally {
    client.disconnect()
  }
}

const serve = async (args: ReadonlyArray<string>, port: number): Promise<Server> => {
  const child = spawn("redis-server", [...args], { stdio: "ignore" })
  process.once("exit", () => child.kill("SIGKILL"))
  await until("it takes connections", async () => (await ask(port, "PING")) === "PONG")
  return {
    port,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
      child.kill("SIGKILL")
      await ended
    }
  }
}

/** Starts them. */
export const startSentinel = async (): Promise<TestSentinel> => {
  const folder = mkdtempSync(join(tmpdir(), "hub-sentinel-"))
  const server = async (...more: ReadonlyArray<string>): Promise<Server> => {
    const port = await freePort()
    const base = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--dbfilename", `${port}.rdb`]
    return serve([...base, "--save", "", "--repl-diskless-sync-delay", "0", ...more], port)
  }
  const master = await server()
  const replica = await server("--replicaof", "127.0.0.1", String(master.port))
  const port = await freePort()
  const file = join(folder, "sentinel.conf")
  const lines = [
    `port ${port}`,
    "bind 127.0.0.1",
    `dir ${folder}`,
    `sentinel monitor ${name} 127.0.0.1 ${master.port} 1`,
    `sentinel down-after-milliseconds ${name} ${downMillis.alive}`,
    `sentinel failover-timeout ${name} 5000`
  ]
  writeFileSync(file, `${lines.join("\n")}\n`)
  const sentinel = await serve([file, "--sentinel"], port)
  const knows = async (what: string): Promise<string> => String(await ask(port, "SENTINEL", what, name))
  await until("the Sentinel knows the replica", async () => (await knows("replicas")).includes(String(replica.port)))
  await until("the replica follows", async () =>
    String(await ask(replica.port, "INFO", "replication")).includes("master_link_status:up")
  )
  return {
    url: `redis://127.0.0.1:${port}/0?sentinel=${name}`,
    failOver: async () => {
      await master.kill()
      await ask(port, "SENTINEL", "SET", name, "down-after-milliseconds", downMillis.killed)
      await until("the replica is the master", async () =>
        (await knows("get-master-addr-by-name")).includes(String(replica.port))
      )
    },
    close: async () => {
      for (const one of [sentinel, replica, master]) await one.kill()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
