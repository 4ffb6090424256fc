/** The native part of uWebSockets.js is loaded only if it is the file that was pinned. */

import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { checkNativePart, nativeParts, pinnedVersion } from "../../../http/native/native-part.ts"
import { lockedPackages, nameOf } from "../../support/lock-file.ts"
import { root } from "../../support/root.ts"
import { testFolder } from "../../support/temporary-folder.ts"

const here = `linux-x64-${process.versions.modules}`
const library = nativeParts[here]!.package
const modules = join(root, "node_modules")

/** A copy of the installed file in which one bit is another. */
const corrupted = (folder: string): string => {
  const bytes = readFileSync(join(modules, library, "uws.node"))
  bytes[bytes.length >> 1]! ^= 1
  const file = join(folder, "uws.node")
  writeFileSync(file, bytes)
  return file
}

describe("the native part", () => {
  it("is pinned for every platform of which the lock file has a package and on which the hub runs", () => {
    const locked = lockedPackages().filter((one) => /^(?:@uwsjs\/|uWebSockets\.js$)/u.test(nameOf(one)))
    const wanted = locked.filter(({ engines }) => /^>=2[23]\./u.test(engines?.node ?? "")).map(nameOf)
    expect(Object.values(nativeParts).map((part) => part.package)).toEqual(wanted.sort())
    expect(new Set(locked.map(({ version }) => version))).toEqual(new Set([pinnedVersion]))
  })

  it("is taken as it is installed", () => {
    expect(() => checkNativePart()).not.toThrow()
  })

  it("is refused with its file and both checksums where a bit of it is another", () => {
    const file = corrupted(testFolder("native"))
    expect(() => checkNativePart(here, () => file)).toThrow(
      new RegExp(
        `^${file} is not what was published: its SHA-256 is [0-9a-f]{64}, pinned is ${nativeParts[here]!.sha256}`,
        "u"
      )
    )
  })

  it("is refused where it is missing, and on a platform for which none is pinned", () => {
    expect(() => checkNativePart(here, () => "/nowhere/uws.node")).toThrow(/is not installed/u)
    expect(() => checkNativePart("aix-ppc64-127")).toThrow(
      /not pinned for aix-ppc64-127; this version runs on linux-x64/u
    )
  })

  it("ends the start of a hub with one sentence where it was exchanged", () => {
    const folder = testFolder("exchanged")
    const beside = join(folder, "node_modules")
    mkdirSync(join(beside, "@uwsjs"), { recursive: true })
    for (const name of ["package.json", "src", "http", "actors", "client", "daemon", "console"]) {
      symlinkSync(join(root, name), join(folder, name))
    }
    for (const name of readdirSync(modules)) {
      if (!name.startsWith(".") && name !== "@uwsjs") symlinkSync(join(modules, name), join(beside, name))
    }
    cpSync(join(modules, library), join(beside, library), { recursive: true })
    corrupted(join(beside, library))
    const words = ["--preserve-symlinks", "--preserve-symlinks-main", join(folder, "src/main.ts"), "start"]
    const env = { PATH: process.env["PATH"], HUB_PORT: "0", HUB_DATA_DIR: join(folder, "data") }
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, cwd: folder, encoding: "utf8" })
    expect([status, stdout]).toEqual([1, ""])
    expect(stderr).toMatch(/^hub: \S+uws\.node is not what was published: [^\n]+\n$/u)
  })
})
