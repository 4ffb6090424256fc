/** The native part of uWebSockets.js is loaded only if it is the file that was pinned. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { describe, expect, it } from "vitest"
import { checkedNativePart, nativeParts } from "../../../http/native/native-part.ts"
import { majorOf, supportedNodes, thisRuntime } from "../../../src/runtime/node-support.ts"
import { hubProgram } from "../../support/hub-program.ts"
import { lockedPackages, nameOf } from "../../support/lock-file.ts"
import { root } from "../../support/root.ts"
import { testFolder } from "../../support/temporary-folder.ts"

const here = thisRuntime()
const pinned = nativeParts[majorOf(here)]!
const library = pinned.package
const modules = join(root, "node_modules")
const run = (words: ReadonlyArray<string>, env: NodeJS.ProcessEnv, cwd = root) =>
  spawnSync(process.execPath, words, { env: { PATH: process.env["PATH"], ...env }, cwd, encoding: "utf8" })
/** No database is made beside the start: that takes far longer than it. */
const elsewhere = {
  HUB_PORT: "0",
  DATABASE_URL: "postgres://127.0.0.1:1/none",
  HUB_SECRET_KEY: Buffer.alloc(32, 1).toString("base64")
}

/** A copy of the installed file in which one bit is another. */
const corrupted = (folder: string): string => {
  const bytes = readFileSync(join(modules, library, "uws.node"))
  bytes[bytes.length >> 1]! ^= 1
  const file = join(folder, "uws.node")
  writeFileSync(file, bytes)
  return file
}

describe("the native part", () => {
  it("is pinned for every supported Node, each from a package of the lock file in the same version", () => {
    expect(Object.keys(nativeParts)).toEqual(Object.keys(supportedNodes))
    const locked = lockedPackages().map((one) => `${nameOf(one)} ${one.version} for ${one.engines?.node ?? "any"}`)
    for (const [major, part] of Object.entries(nativeParts)) {
      expect(locked).toContain(`${part.package} ${part.version} for >=${major}.0.0 <${Number(major) + 1}.0.0`)
      expect(locked).toContain(`${part.library} ${part.version} for any`)
    }
  })

  it("is taken as it is installed", () => expect(checkedNativePart()).toMatch(/uws\.node$/u))

  it("is taken from where the operator says, who built it", () => {
    const own = join(testFolder("own"), "own.node")
    cpSync(join(modules, library, "uws.node"), own)
    expect(run([join(root, "http/native/native-part.ts")], { HUB_UWS_BINARY: own }).status).toBe(0)
    const nowhere = { ...elsewhere, HUB_UWS_BINARY: "/nowhere.node" }
    const { status, stderr } = run([hubProgram, "start"], nowhere, testFolder("x"))
    expect(stderr).toMatch(/^hub: the native part of the server was not loaded: [^\n]*\/nowhere\.node[^\n]*\n$/u)
    expect(status).toBe(1)
  })

  it("is refused with its file and both checksums where a bit of it is another", () => {
    const file = corrupted(testFolder("native"))
    expect(() => checkedNativePart(here, () => file)).toThrow(
      new RegExp(`^${file} is not what was published: its SHA-256 is [0-9a-f]{64}, pinned is ${pinned.sha256}`, "u")
    )
  })

  it("is refused where it is missing, and on a system for which there is none", () => {
    expect(() => checkedNativePart(here, () => "/nowhere/uws.node")).toThrow(/is not installed/u)
    expect(() => checkedNativePart({ ...here, arch: "ppc64" })).toThrow(/linux-x64, this is linux-ppc64/u)
  })

  it("ends the start of a hub with one sentence where it was exchanged", () => {
    const folder = testFolder("exchanged")
    const beside = join(folder, "node_modules")
    mkdirSync(join(beside, "@uwsjs"), { recursive: true })
    for (const name of ["package.json", "src", "http", "actors", "build", "client", "daemon", "console"])
      symlinkSync(join(root, name), join(folder, name))
    for (const name of readdirSync(modules)) {
      if (!name.startsWith(".") && name !== "@uwsjs") symlinkSync(join(modules, name), join(beside, name))
    }
    cpSync(join(modules, library), join(beside, library), { recursive: true })
    corrupted(join(beside, library))
    const program = join(folder, relative(root, hubProgram))
    const words = ["--preserve-symlinks", "--preserve-symlinks-main", program, "start"]
    const { status, stdout, stderr } = run(words, { ...elsewhere, HUB_DATA_DIR: join(folder, "data") }, folder)
    expect([status, stdout]).toEqual([1, ""])
    expect(stderr).toMatch(/^hub: \S+uws\.node is not what was published: [^\n]+\n$/u)
  })
})
