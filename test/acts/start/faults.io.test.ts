/**
 * What keeps a hub from starting is said in one sentence that names the file or host, without a stack. Real processes.
 */
import { generateKeyPairSync } from "node:crypto"
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import { describe, expect, inject, it, onTestFinished } from "vitest"
import { databaseFolder } from "../../../src/store/embedded/opening.ts"
import { command, runHub } from "../../support/hub-command.ts"
import { diskMissing } from "../../support/memory-disk.ts"
import { root } from "../../support/root.ts"
import { smallDisk } from "../../support/small-disk.ts"
import { testFolder } from "../../support/temporary-folder.ts"

const secretKey = Buffer.alloc(32, 1).toString("base64")
const nobody = 65_534
const otherKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" })
const tls = (name: string): string => join(root, "test/support/tls", name)

/** The one line on stderr of a start that fails; credentials are never shown by it. */
const refusedStart = async (env: Record<string, string>, uid?: number): Promise<string> => {
  const { code, stdout, stderr } = await command(["start"], { HUB_PORT: "0", ...env }, "", uid)
  expect(stdout).not.toMatch(/hub_|First start/u)
  expect({ code, lines: stderr.trimEnd().split("\n").length, stderr }).toMatchObject({ code: 1, lines: 1 })
  expect(stderr).not.toMatch(/ {2}at |node:internal|\[object/u)
  return stderr
}

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port))
  })

// The database is none of these tests' subject: once is enough. They wait for processes of their own.
describe.concurrent("a hub that cannot start", () => {
  const folder = testFolder("startfaults")
  const inside = (name: string): string => join(folder, name)
  /** A data folder of a hub that was never started, whose database needs no first start. */
  const migrated = (name: string): { readonly HUB_DATA_DIR: string } => {
    cpSync(databaseFolder(inject("templateFolder")), databaseFolder(inside(name)), { recursive: true })
    return { HUB_DATA_DIR: inside(name) }
  }
  const server = async (onConnection: () => void): Promise<number> => {
    const one = createServer(onConnection)
    onTestFinished(() => void one.close())
    return listening(one)
  }

  it("says that its data folder is a file, or lies below one", async () => {
    writeFileSync(inside("file"), "")
    for (const [HUB_DATA_DIR, why] of [
      [inside("file"), "is not a folder"],
      [inside("file/below"), "or lies below what is none"]
    ] as const) {
      const said = await refusedStart({ HUB_DATA_DIR })
      expect(said).toContain(`${HUB_DATA_DIR} (HUB_DATA_DIR)`)
      expect(said).toContain(why)
    }
  })

  it.runIf(process.platform === "linux")(
    "says that its data folder cannot be made, and does not try for ever",
    async () => {
      const said = await refusedStart({ HUB_DATA_DIR: "/proc/none/below" })
      expect(said).toContain("the data folder /proc/none/below (HUB_DATA_DIR) does not exist")
    }
  )

  it("says that its data folder is closed to its user", async () => {
    mkdirSync(inside("closed"), { mode: 0o500 })
    const uid = process.getuid?.() === 0 ? nobody : undefined
    expect(await refusedStart({ HUB_DATA_DIR: inside("closed") }, uid)).toContain("is closed to this user")
  })

  it("names the file of TLS that does not fit the other", async () => {
    const HUB_DATA_DIR = inside("tls")
    writeFileSync(inside("other.pem"), otherKey)
    const files = (HUB_TLS_CERT: string, HUB_TLS_KEY: string) => ({ HUB_DATA_DIR, HUB_TLS_CERT, HUB_TLS_KEY })
    expect(await refusedStart(files(tls("cert.pem"), inside("other.pem")))).toMatch(/other\.pem .* is not the key of/u)
  })

  it("names the host of a DATABASE_URL that it cannot reach, and not its password", async () => {
    const port = await server(() => {}) // takes the connection and says nothing
    for (const at of ["127.0.0.1:1", `127.0.0.1:${port}`]) {
      const DATABASE_URL = `postgres://hub:geheim@${at}/db`
      const said = await refusedStart({ HUB_DATA_DIR: inside("far"), HUB_SECRET_KEY: secretKey, DATABASE_URL })
      expect(said).toContain(`DATABASE_URL: ${at}/db`)
      expect(said).not.toContain("geheim")
    }
  })

  it("tells a port that is taken from an address that is not this machine's, and shows credentials once it has one", async () => {
    const HUB_PORT = String(await server(() => {}))
    const { HUB_DATA_DIR } = migrated("port")
    expect(await refusedStart({ HUB_DATA_DIR, HUB_PORT })).toContain(`127.0.0.1:${HUB_PORT} is taken`)
    const HUB_HOST = "203.0.113.5"
    expect(await refusedStart({ HUB_DATA_DIR, HUB_PORT, HUB_HOST })).toContain("is no address of this machine")
    const hub = await runHub({ HUB_DATA_DIR })
    const key = /API key {7}(hub_\w{36})/u.exec(hub.greeting)?.[1]
    const answer = await fetch(`${hub.url}/api/v1/daemons`, { headers: { authorization: `Bearer ${key}` } })
    expect(answer.status).toBe(200)
    await hub.end("SIGKILL")
  })

  it("ends a daemon with 1 and a sentence where its providers file is missing", async () => {
    const args = ["daemon", "--url", "http://127.0.0.1:1", "--token", "x", "--providers", "/nope.json"]
    expect(await command(args, {})).toEqual({
      code: 1,
      stdout: "",
      stderr: "hub daemon: the providers file /nope.json cannot be read: no such file or directory\n"
    })
  })

  describe.skipIf(diskMissing)("for its disk", () => {
    it("says that it may not be written", async () => {
      const disk = smallDisk(1)
      try {
        disk.remount("ro")
        expect(await refusedStart({ HUB_DATA_DIR: join(disk.path, "data") })).toContain("read-only file system")
      } finally {
        disk.unmount()
      }
    })

    it("says that it is full at a first start and leaves none begun; one that was killed in the middle is made anew", async () => {
      const disk = smallDisk(20)
      const data = join(disk.path, "data")
      const isBegun = () => readdirSync(data).filter((name) => name.startsWith("database"))
      try {
        expect(await refusedStart({ HUB_DATA_DIR: data })).toMatch(/the disk of the data folder .* is full/u)
        expect(isBegun()).toEqual([])
        disk.remount("size=200m")
        mkdirSync(join(data, "database"))
        writeFileSync(join(data, "database", "PG_VERSION"), "18\n")
        writeFileSync(join(data, "database.begun"), "")
        const hub = await runHub({ HUB_DATA_DIR: data })
        expect(hub.greeting).toContain("First start")
        expect(isBegun()).toEqual(["database"])
        await hub.end("SIGKILL")
      } finally {
        disk.unmount()
      }
    })
  })
})
