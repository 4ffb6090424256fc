/** A throwaway Postgres for benches. Owns the process and its folder; changes no default but where it listens. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { chownSync, existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { UsageError } from "../usage-error.ts"
import { endChild, removeFolder, scratchFolder, whenEnded } from "./child-process.ts"
import { freePort } from "./free-port.ts"

const patienceMillis = 30_000

/** Where Debian keeps the server's programs, newest version first. */
const binaries = (): string => {
  const root = "/usr/lib/postgresql"
  const found = (existsSync(root) ? readdirSync(root) : [])
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(root, version, "bin"))
    .find((path) => existsSync(join(path, "postgres")))
  if (found === undefined)
    throw new UsageError("this bench needs the Postgres server programs: apt-get install postgresql")
  return found
}

/**
 * Starts a server with durable writes (fsync on: that is what is being measured); `stop` ends it and removes its files.
 */
export const startPostgres = async (): Promise<{
  readonly url: string
  readonly pid: number
  readonly stop: () => Promise<void>
}> => {
  const bin = binaries()
  const folder = scratchFolder("hub-bench-pg-")
  const root = process.getuid?.() === 0
  // Postgres refuses to run as root
  const as = root
    ? {
        uid: Number(execFileSync("id", ["-u", "postgres"], { encoding: "utf8" })),
        gid: Number(execFileSync("id", ["-g", "postgres"], { encoding: "utf8" }))
      }
    : {}
  if (root) chownSync(folder, as.uid!, as.gid!)
  const files = join(folder, "files")
  execFileSync(join(bin, "initdb"), ["-D", files, "-U", "hub", "-A", "trust", "--no-sync"], {
    ...as,
    stdio: "ignore",
    cwd: folder
  })
  const port = await freePort()
  const server: ChildProcess = spawn(
    join(bin, "postgres"),
    ["-D", files, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-k", folder],
    {
      ...as,
      cwd: folder,
      stdio: "ignore"
    }
  )
  const ended = whenEnded(server)
  for (let tries = 0; ; tries++) {
    try {
      execFileSync(join(bin, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)], { stdio: "ignore" })
      break
    } catch (cause) {
      if (tries > 200 || server.exitCode !== null) throw new Error("Postgres did not start", { cause })
      await pause(50)
    }
  }
  return {
    url: `postgres://hub@127.0.0.1:${port}/postgres`,
    pid: server.pid!,
    stop: async () => {
      await endChild(server, ended, "SIGINT", patienceMillis)
      removeFolder(folder)
    }
  }
}
