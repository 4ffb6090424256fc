/** The lock on the data folder: one owner, and a dead one's lock is taken over. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { lockDataFolder, noteAddress } from "../../../src/admin/data-folder-lock.ts"
import { openLifeSocket } from "../../../src/admin/liveness-socket.ts"
import { given } from "../../support/given.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"

const folder = () => testFolder("lock")
const taken = (dataDir: string) => Effect.runPromise(Effect.scoped(lockDataFolder(dataDir)).pipe(Effect.flip))
const free = (dataDir: string) => Effect.runPromise(Effect.scoped(lockDataFolder(dataDir)))

describe("the lock on the data folder", () => {
  it("is held by one owner, readable by its user only, and gone afterwards", async () => {
    const dataDir = join(folder(), "new")
    const file = join(dataDir, "hub.lock")
    const inside = lockDataFolder(dataDir).pipe(
      Effect.andThen(Effect.sync(() => expect(statSync(file).mode & 0o777).toBe(0o600))),
      Effect.andThen(Effect.scoped(lockDataFolder(dataDir))),
      Effect.flip
    )
    expect(await Effect.runPromise(Effect.scoped(inside))).toMatchObject({ _tag: "DataFolderInUse", pid: process.pid })
    expect(existsSync(file)).toBe(false)
    await free(dataDir)
  })

  given(folder)("says where the hub listens that owns it, until that hub has ended", async (dataDir) => {
    const other = lockDataFolder(dataDir).pipe(
      Effect.andThen(noteAddress(dataDir, "http://127.0.0.1:8080")),
      Effect.andThen(Effect.scoped(lockDataFolder(dataDir))),
      Effect.flip
    )
    const { message } = await Effect.runPromise(Effect.scoped(other))
    expect(message).toBe(`${dataDir} is in use by process ${process.pid}; the hub at http://127.0.0.1:8080`)
    writeFileSync(join(dataDir, "hub.address"), "http://127.0.0.1:1")
    const next = lockDataFolder(dataDir).pipe(Effect.andThen(Effect.scoped(lockDataFolder(dataDir))), Effect.flip)
    expect((await Effect.runPromise(Effect.scoped(next))).message).toMatch(/does a hub run there already\?$/u)
    expect(readdirSync(dataDir)).toEqual([])
  })

  given(folder)("is refused while another process lives, and taken over when that was killed", async (dataDir) => {
    const lock = new URL("../../../src/admin/data-folder-lock.ts", import.meta.url).href
    const program = `import { lockDataFolder, noteAddress } from ${JSON.stringify(lock)}
      import { Effect } from "effect"
      Effect.runFork(Effect.scoped(Effect.andThen(lockDataFolder(process.argv[1]), Effect.sync(() => {
        console.log("held"); setInterval(() => {}, 1e6)
      }).pipe(Effect.andThen(Effect.never)))))`
    const other = spawn(process.execPath, ["--input-type=module", "-e", program, dataDir], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    await once(other.stdout, "data")
    expect(await taken(dataDir)).toMatchObject({ _tag: "DataFolderInUse", pid: other.pid })
    other.kill("SIGKILL")
    await once(other, "exit")
    await free(dataDir)
  })

  given(folder)("of a killed process that its parent has not asked about yet is taken over", async (dataDir) => {
    // what the shell becomes never asks about the shell's child; the shell itself might
    const parent = spawn("sh", ["-c", "sleep 600 & echo $!; exec sleep 600"], { stdio: ["ignore", "pipe", "inherit"] })
    const [pid] = await once(parent.stdout, "data")
    const of = (id: number, what: string) => readFileSync(`/proc/${id}/${what}`, "utf8")
    const stat = () => of(Number(String(pid)), "stat").split(" ")
    await until("the shell is no more", () => of(parent.pid!, "comm") === "sleep\n")
    process.kill(Number(String(pid)), "SIGKILL")
    await until("it has ended", () => stat()[2] === "Z")
    writeFileSync(join(dataDir, "hub.lock"), JSON.stringify({ pid: Number(String(pid)), born: stat()[21] }))
    await free(dataDir)
    parent.kill("SIGKILL")
  })

  given(folder)("of a process whose id was given to a younger one is taken over", async (dataDir) => {
    writeFileSync(join(dataDir, "hub.lock"), JSON.stringify({ pid: process.ppid, born: "1" }))
    await free(dataDir)
  })

  it("that bears this very process's id, from before a restart in a container, is taken over", async () => {
    const dataDir = folder()
    writeFileSync(join(dataDir, "hub.lock"), JSON.stringify({ pid: process.pid, born: "" }))
    await free(dataDir)
  })

  it("of another container is refused while that lives, whatever its id is here, and taken over when it is gone", async () => {
    const dataDir = folder()
    const life = await openLifeSocket(dataDir)
    const owner = { pid: process.pid, born: "", space: "pid:[1]", socket: life.name }
    writeFileSync(join(dataDir, "hub.lock"), JSON.stringify(owner))
    const refusal = await taken(dataDir)
    expect(refusal).toMatchObject({ _tag: "DataFolderInUse", isElsewhere: true })
    expect(refusal.message).toContain(`process ${process.pid} of another container`)
    expect(readdirSync(dataDir).sort()).toEqual([life.name, "hub.lock"].sort())
    life.close()
    await free(dataDir)
    expect(readdirSync(dataDir)).toEqual([])
  })

  it("of another container that was killed leaves no file behind, and names none outside the folder", async () => {
    const dataDir = folder()
    const life = await openLifeSocket(dataDir)
    const left = join(dataDir, "hub.alive.0123456789abcdef")
    renameSync(join(dataDir, life.name), left)
    life.close()
    for (const socket of ["hub.alive.0123456789abcdef", "../elsewhere", undefined]) {
      writeFileSync(join(dataDir, "hub.lock"), JSON.stringify({ pid: 1, born: "", space: "pid:[1]", socket }))
      await free(dataDir)
      expect(readdirSync(dataDir)).toEqual([])
    }
  })

  given(folder)("that holds nonsense is nobody's", async (dataDir) => {
    writeFileSync(join(dataDir, "hub.lock"), "nonsense")
    await free(dataDir)
  })

  given(folder)("goes to exactly one of many who find the same dead owner", async (dataDir) => {
    writeFileSync(join(dataDir, "hub.lock"), "nonsense")
    const all = Effect.forEach(Array.from({ length: 20 }), () => Effect.exit(lockDataFolder(dataDir)), {
      concurrency: "unbounded"
    })
    const exits = await Effect.runPromise(Effect.scoped(all))
    expect(exits.filter(Exit.isSuccess)).toHaveLength(1)
  })
})
