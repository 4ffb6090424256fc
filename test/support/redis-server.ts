/**
 * A Redis of a test's own: a real server on a free port, gone with the test. Owns its start, its pause, its kill and
 * its end; where there is none, `hasRedis` says so.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import { freePort } from "../../bench/servers/free-port.ts"
import { has } from "./machine.ts"
import { until } from "./until.ts"

/** A running server. */
export interface TestRedis {
  readonly url: string
  /** Stops the server in its tracks, as a stuck machine does; `resume` lets it go on. */
  readonly pause: () => void
  readonly resume: () => void
  /** Kills it; all it held is gone. */
  readonly kill: () => Promise<void>
  /** Starts it again on the same port, or lets it go on; one that serves is left as it is. */
  readonly start: () => Promise<void>
  /** Runs a command. */
  readonly call: (command: string, ...args: ReadonlyArray<string | number>) => Promise<unknown>
  readonly close: () => Promise<void>
}

/** Whether there is a Redis to test with. */
export const hasRedis = has.redis

/**
 * Starts a server; `cluster`: one node that holds all slots; `announcedPort`: whoever asks the cluster is sent there.
 */
export const startRedis = async (
  options: { readonly cluster?: boolean; readonly announcedPort?: number } = {}
): Promise<TestRedis> => {
  const folder = mkdtempSync(join(tmpdir(), "hub-redis-"))
  const port = await freePort()
  const cluster = options.cluster === true
  const announced =
    options.announcedPort === undefined ? [] : ["--cluster-announce-port", String(options.announcedPort)]
  const more = cluster ? ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1", ...announced] : []
  const base = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"]
  let child = spawn("redis-server", [...base, ...more], { stdio: "ignore" })
  process.once("exit", () => child.kill("SIGKILL"))

  const call: TestRedis["call"] = async (command, ...args) => {
    const client = new Redis({ port, host: "127.0.0.1", retryStrategy: () => null, maxRetriesPerRequest: 0 })
    client.on("error", () => {})
    try {
      return await client.call(command, [...args])
    } finally {
      client.disconnect()
    }
  }
  const answers = () => until("Redis takes connections", async () => (await call("PING")) === "PONG")
  const ready = async (): Promise<void> => {
    await answers()
    if (!cluster) return
    await call("CLUSTER", "ADDSLOTSRANGE", 0, 16_383)
    await until("the cluster stands", async () => String(await call("CLUSTER", "INFO")).includes("cluster_state:ok"))
  }
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    child.kill("SIGKILL")
    await ended
  }
  await ready()
  return {
    url: `redis://127.0.0.1:${port}/0${cluster ? "?cluster" : ""}`,
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    kill,
    start: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGCONT")
        await answers()
        return
      }
      child = spawn("redis-server", [...base, ...more], { stdio: "ignore" })
      await ready()
    },
    call,
    close: async () => {
      child.kill("SIGCONT")
      await kill()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
