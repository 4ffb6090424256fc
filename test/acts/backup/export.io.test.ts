/** Exports of the embedded database, and the way back: real processes, with a hub that runs and without one. */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { exportsKeptMax } from "../../../src/limits/backup.ts"
import { exportName, newestExport, newestExportAt, removeOldExports } from "../../../src/store/backup/export-files.ts"
import { databaseFolder } from "../../../src/store/embedded/opening.ts"
import { layerAt } from "../../../src/store/sql/database.ts"
import { type FreshDatabase, freshDatabase } from "../../support/database.ts"
import { command, type Outcome, type RunningHub, runHub } from "../../support/hub-command.ts"
import { diskMissing } from "../../support/memory-disk.ts"
import { threadsOf } from "../../support/process-facts.ts"
import { atNight } from "../../support/run-sizes.ts"
import { smallDisk } from "../../support/small-disk.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"

describe("an export of the embedded database", () => {
  const folder = testFolder("backup")
  const databases: Array<FreshDatabase> = []
  afterAll(async () => {
    for (const { close } of databases) await close()
  })
  const data = async (): Promise<FreshDatabase["settings"]> => {
    const database = await freshDatabase()
    databases.push(database)
    return database.settings
  }
  /** All rows, after some statements. */
  const rows = (settings: FreshDatabase["settings"], change?: string): Promise<Record<string, unknown>> =>
    Effect.runPromise(
      Effect.provide(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          if (change !== undefined) yield* sql.unsafe(change).unprepared
          const tables = yield* sql<{ name: string }>`select relname as name from pg_class c
            join pg_namespace n on n.oid = relnamespace where nspname = 'public' and relkind = 'r' order by relname`
          const all: Record<string, unknown> = {}
          for (const { name } of tables) {
            if (name === "hub_migrations") continue
            all[name] = (yield* sql.unsafe<{ row: string }>(`select t::text as row from "${name}" t order by 1`)).map(
              (one) => one.row
            )
          }
          return all
        }),
        layerAt(settings),
        { local: true }
      ) as Effect.Effect<Record<string, unknown>>
    )
  const hub = (settings: FreshDatabase["settings"], ...args: ReadonlyArray<string>) =>
    command(args, { HUB_DATA_DIR: settings.dataDir })

  // Each kind of column, a row that is longer than a piece, blanks, quotes, line ends and nothing at all.
  const strange = `
    insert into accounts (id, email, plan, created_at) values ('a', 'ü "x"\\ , (y)', 'pro', 1), ('b', E'line\\nend', 'free', 2);
    insert into sessions (id, account_id, auth_time, created_at, expires_at) values ('s', 'a', null, 1, 9007199254740991);
    insert into webhooks (id, account_id, url, events, active, secret, created_at, updated_at)
      values ('w', 'a', '', array['*','a,"b"',''], true, 'v1.x.y.z', 1, 1);
    insert into artifacts (digest, bytes, created_at) select '\\x00ff', decode(repeat('00ff10', 800000), 'hex'), 1;
    insert into packages (type, version, precedence, manifest, digest, size, published_at, published_by)
      values ('t', '1.0.0', 'p', '{"a": [1, null, "\\u00e9"]}', '\\x00ff', 1, 1, 'a');
    insert into events_seen (daemon_id, event_id, at) select 'd', g::text, g from generate_series(1, 5000) g`

  const withoutPart = (settings: FreshDatabase["settings"]): void =>
    rmSync(join(databaseFolder(settings.dataDir!), "global"), { recursive: true })

  describe("made without a hub that runs", () => {
    const all = join(folder, "all.backup")
    let settings: FreshDatabase["settings"]
    let before: Record<string, unknown>
    let made: Outcome
    beforeAll(async () => {
      settings = await data()
      before = await rows(settings, strange)
      made = await hub(settings, "backup", all, "--json")
    })

    it("has every row of every table, and is its user's alone", () => {
      expect(made).toMatchObject({ code: 0, stderr: "" })
      const count = Object.values(before).reduce<number>((sum, of) => sum + (of as ReadonlyArray<unknown>).length, 0)
      expect(JSON.parse(made.stdout)).toMatchObject({ file: all, rows: count, bytes: statSync(all).size })
      expect(statSync(all).mode & 0o777).toBe(0o600)
      expect(readdirSync(join(settings.dataDir!, "backups"))).toEqual([])
    })

    it("is named, the newest, where the database does not open, brings every row back, and keeps what was there", async () => {
      const broken = await data()
      withoutPart(broken)
      const backups = join(broken.dataDir!, "backups")
      mkdirSync(backups)
      const file = join(backups, exportName(1_700_000_000_000))
      copyFileSync(all, file)
      const { code, stderr } = await command(["start"], { HUB_DATA_DIR: broken.dataDir!, HUB_PORT: "0" })
      expect(code).toBe(1)
      expect(stderr).toContain(`\`hub restore ${file}\` puts it in its place`)
      const restored = await hub(broken, "restore", file, "--json")
      expect(restored).toMatchObject({ code: 0, stderr: "" })
      expect(await rows(broken)).toEqual(before)
      const kept = JSON.parse(restored.stdout).before as string
      expect(existsSync(join(kept, "PG_VERSION"))).toBe(true)
      expect(readdirSync(backups)).toEqual([exportName(1_700_000_000_000)])
    })

    it("is asked for once more by a hub that starts where it was killed before its database took its place", async () => {
      const killed = await data()
      const database = databaseFolder(killed.dataDir!)
      renameSync(database, `${database}.restoring`)
      const started = () => command(["start"], { HUB_DATA_DIR: killed.dataDir!, HUB_PORT: "0" })
      expect(await started()).toMatchObject({ code: 1, stderr: expect.stringContaining("call hub restore once more") })
      expect(existsSync(database)).toBe(false)
      expect(await hub(killed, "restore", all)).toMatchObject({ code: 0, stderr: "" })
      expect(await rows(killed)).toEqual(before)
    })

    it("is refused for what is damaged, cut short or no export, and the database stays as it was", async () => {
      const [cut, words, flipped] = ["cut", "words", "flipped"].map((name) => join(folder, `${name}.backup`)) as [
        string,
        string,
        string
      ]
      copyFileSync(all, cut)
      truncateSync(cut, Math.floor(statSync(all).size / 2))
      writeFileSync(words, "words")
      // one bit that a disk has lost, of which only the checksum at the end tells
      const stored = gzipSync(gunzipSync(readFileSync(all)), { level: 0 })
      const at = stored.indexOf('{"table":"artifacts"}')
      stored[at] = stored[at]! ^ 1
      writeFileSync(flipped, stored)
      for (const file of [cut, words, flipped]) {
        const { code, stderr } = await hub(settings, "restore", file)
        expect({ code, stderr }).toEqual({
          code: 1,
          stderr: `hub: ${file} is damaged, cut short, or no export of a hub\n`
        })
      }
      const missing = await hub(settings, "restore", "/nope.backup")
      expect(missing).toEqual({ code: 1, stdout: "", stderr: "hub: the export /nope.backup does not exist\n" })
      expect(readdirSync(settings.dataDir!).filter((name) => name.startsWith("database"))).toEqual(["database"])
    })

    it("leaves no file behind where the database does not open, and says why in a line", async () => {
      const broken = await data()
      withoutPart(broken)
      const { code, stdout, stderr } = await hub(broken, "backup", join(folder, "broken.backup"))
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr.trimEnd().split("\n")).toHaveLength(1)
      expect(readdirSync(folder).filter((name) => name.startsWith("broken"))).toEqual([])
      expect(readdirSync(join(broken.dataDir!, "backups"))).toEqual([])
    })
  })

  describe("made by a hub that runs", () => {
    let settings: FreshDatabase["settings"]
    let running: RunningHub
    const threads: Array<number> = []
    // of now: on a slow machine the hub would else make one of its own meanwhile
    const kept = exportName(Date.now())
    beforeAll(async () => {
      settings = await data()
      const backups = join(settings.dataDir!, "backups")
      mkdirSync(join(backups, ".copy", "base"), { recursive: true })
      for (const name of [`${exportName(1)}.part`, "mine.part", kept]) writeFileSync(join(backups, name), "")
      running = await runHub({ HUB_DATA_DIR: settings.dataDir! })
      for (const name of ["first", "second", ...(atNight ? ["third"] : [])]) {
        expect(await hub(settings, "backup", join(folder, `${name}.backup`))).toMatchObject({ code: 0, stderr: "" })
        threads.push(threadsOf(running.pid))
      }
    })
    afterAll(() => running?.end("SIGKILL"))

    it("finds taken away what a killed one left in the data folder, and nothing else that lies there", async () => {
      const backups = join(settings.dataDir!, "backups")
      await until("the part is gone", () => !existsSync(join(backups, `${exportName(1)}.part`)))
      expect(readdirSync(backups).sort()).toEqual([kept, "mine.part"].sort())
    })

    it("leaves no file behind where there is no place for it, and says why", async () => {
      const nowhere = await hub(settings, "backup", join(folder, "none/x.backup"))
      expect(nowhere).toMatchObject({ code: 1, stdout: "" })
      expect(nowhere.stderr).toBe(`hub: the folder ${join(folder, "none")} does not exist\n`)
      const onFolder = await hub(settings, "backup", folder)
      expect(onFolder.stderr).toBe(`hub: the export ${folder} is a folder, where a file is needed\n`)
      expect(readdirSync(join(settings.dataDir!, "backups")).sort()).toEqual([kept, "mine.part"].sort())
    })

    it("leaves no thread behind in it: each would keep a database in memory", () =>
      expect(threads).toEqual(threads.map(() => threads[0])))

    it("works in another data folder, beside its secret key alone, and in its own not while the hub runs", async () => {
      const key = /API key {7}(hub_\w{36})/u.exec(running.greeting)![1]!
      const file = join(folder, "second.backup")
      const refused = await hub(settings, "restore", file)
      expect(refused).toMatchObject({ code: 1, stdout: "" })
      expect(refused.stderr).toMatch(/is in use by process \d+/u)
      const elsewhere = join(testFolder("elsewhere"), "data")
      const restored = await command(["restore", file], { HUB_DATA_DIR: elsewhere })
      expect(restored).toMatchObject({ code: 0, stderr: "" })
      expect(restored.stdout).toContain("put the secret.key of its hub into")
      const secret = readFileSync(join(settings.dataDir!, "secret.key"))
      writeFileSync(join(elsewhere, "secret.key"), secret, { mode: 0o600 })
      const again = await runHub({ HUB_DATA_DIR: elsewhere })
      expect(again.greeting).not.toContain("First start")
      const answer = await fetch(`${again.url}/api/v1/daemons`, { headers: { authorization: `Bearer ${key}` } })
      expect(answer.status).toBe(200)
      await again.end("SIGKILL")
    })
  })

  it(`is kept ${exportsKeptMax} times in the data folder, the newest`, () => {
    const dataDir = testFolder("kept")
    mkdirSync(join(dataDir, "backups"))
    const made = [5, 1, 4, 2, 3].map((hour) => exportName(hour * 3_600_000))
    for (const name of [...made, "mine.backup"]) writeFileSync(join(dataDir, "backups", name), "")
    removeOldExports(dataDir, 5 * 3_600_000)
    const left = [3, 4, 5].map((hour) => exportName(hour * 3_600_000))
    expect(readdirSync(join(dataDir, "backups")).sort()).toEqual([...left, "mine.backup"].sort())
    expect(newestExport(dataDir)).toBe(join(dataDir, "backups", left[2]!))
    expect(newestExportAt(dataDir)).toBe(5 * 3_600_000)
  })

  it("is kept also where the clock was set back behind those before", () => {
    const dataDir = testFolder("kept-after")
    mkdirSync(join(dataDir, "backups"))
    const all = [1, 7, 8, 9].map((hour) => exportName(hour * 3_600_000))
    for (const name of all) writeFileSync(join(dataDir, "backups", name), "")
    removeOldExports(dataDir, 3_600_000)
    expect(readdirSync(join(dataDir, "backups")).sort()).toEqual([all[0], all[2], all[3]])
  })

  it("is refused on a Postgres of its own, which pg_dump backs up", async () => {
    const env = { DATABASE_URL: "postgres://127.0.0.1:1/x", HUB_SECRET_KEY: Buffer.alloc(32, 1).toString("base64") }
    const { code, stderr } = await command(["backup", join(folder, "pg.backup")], env)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^hub: [^\n]*pg_dump[^\n]*\n$/u)
  })

  it.skipIf(diskMissing)("is not begun where the disk has no room for it, and the hub goes on", async () => {
    const disk = smallDisk(120)
    let running: RunningHub | undefined
    try {
      const env = { HUB_DATA_DIR: join(disk.path, "data") }
      cpSync(databaseFolder(inject("templateFolder")), databaseFolder(env.HUB_DATA_DIR), { recursive: true })
      running = await runHub(env)
      const { code, stderr } = await command(["backup", join(disk.path, "full.backup")], env)
      expect(code).toBe(1)
      expect(stderr).toMatch(/has no room for an export/u)
      expect((await fetch(`${running.url}/readyz`)).status).toBe(200)
      // a target of its own that is full: what was written of it goes
      const other = smallDisk(1)
      other.fill()
      disk.remount("size=400m")
      const full = await command(["backup", join(other.path, "full.backup")], env)
      expect(full.code).toBe(1)
      expect(full.stderr).toBe(`hub: the disk of the export ${join(other.path, "full.backup")} is full\n`)
      expect(readdirSync(other.path)).toEqual(["filler0"])
      other.unmount()
      expect((await fetch(`${running.url}/readyz`)).status).toBe(200)
    } finally {
      await running?.end("SIGKILL")
      disk.unmount()
    }
  })
})
