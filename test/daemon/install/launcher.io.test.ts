/** The launcher of an installation, with programs that are a few lines: what it starts, and what it puts back. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, it, onTestFinished } from "vitest"
import { launcherText } from "../../../daemon/install/launcher.ts"
import { layoutOf } from "../../../daemon/install/layout.ts"
import { launchdPlist } from "../../../daemon/install/service-files.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"

const says = (name: string) => `console.log("${name}", process.argv.slice(2).join(" "));`
const puts = (file: string, content: string) =>
  `require("node:fs").writeFileSync(process.env.HUB_DAEMON_UPDATES + "/${file}", "${content}");`
const removes = (file: string) => `require("node:fs").rmSync(process.env.HUB_DAEMON_UPDATES + "/${file}");`
const exits = (code: number) => `process.exit(${code});`
const lives = "setInterval(() => {}, 1000);"
const update = puts("trial", "") + puts("current", "releases/new") + exits(75)
/** Only the first time: the program that was put back is the same one. */
const updateOnce = `if (!require("node:fs").existsSync(process.env.HUB_DAEMON_UPDATES + "/failed")) { ${update} }`

const installation = (programs: Readonly<Record<string, string>>) => {
  const folder = testFolder("installed")
  const updates = join(folder, "updates")
  for (const [name, program] of Object.entries(programs)) {
    const at = name === "installed" ? folder : join(updates, "releases", name)
    mkdirSync(at, { recursive: true })
    writeFileSync(
      join(at, "hub-daemon.mjs"),
      `import { createRequire } from "node:module"
const require = createRequire(import.meta.url);${program}`
    )
  }
  mkdirSync(updates, { recursive: true })
  const launcher = join(folder, "launch.sh")
  writeFileSync(launcher, launcherText)
  const start = (seconds = "600") => {
    const env = { PATH: process.env["PATH"], HUB_DAEMON_TRIAL_SECONDS: seconds }
    const child = spawn("/bin/sh", [launcher, process.execPath, folder, updates, "--name", "a b"], { env })
    onTestFinished(() => void child.kill("SIGKILL"))
    let out = ""
    child.stdout.on("data", (chunk) => {
      out += String(chunk)
    })
    const errors = text(child.stderr)
    const ended = once(child, "close").then(async ([code]) => ({ code, out, errors: await errors }))
    return { child, ended, said: (line: string) => until(`it says ${line}`, () => out.includes(line)) }
  }
  const file = (name: string) =>
    existsSync(join(updates, name)) ? readFileSync(join(updates, name), "utf8") : undefined
  return { start, file, updates }
}

describe("the launcher", () => {
  it("starts the installed program with its words, and ends with its code", async () => {
    const { start } = installation({ installed: says("old") + exits(78) })
    expect(await start().ended).toMatchObject({ code: 78, out: "old run --name a b\n" })
  })

  it("runs in its user's home by launchd too, and ends with 0 there where the hub refuses the daemon for good", async () => {
    const { updates } = installation({ installed: `console.log(process.cwd());${exits(78)}` })
    const folder = dirname(updates)
    const layout = { ...layoutOf(false, folder), launcher: join(folder, "launch.sh"), current: folder, updates }
    const plist = launchdPlist({ layout, node: process.execPath, user: undefined, words: [], restartSeconds: 7 })
    const [, words = ""] = /<array>(.*)<\/array>/su.exec(plist)!
    const [program = "", ...rest] = [...words.matchAll(/<string>(.*)<\/string>/gu)].map(([, word]) =>
      word!.replaceAll("&quot;", '"').replaceAll("&amp;", "&")
    )
    const env = { PATH: process.env["PATH"], HOME: folder }
    const { status, stdout } = spawnSync(program, rest, { env, cwd: "/", encoding: "utf8" })
    expect([status, stdout]).toEqual([0, `${folder}\n`])
  })

  it("starts the program that an update has put in place, and leaves one in place that is good", async () => {
    const good = says("new") + puts("admitted", "") + removes("trial") + exits(1)
    const { start, file } = installation({ installed: says("old") + update, new: good })
    expect(await start().ended).toMatchObject({ code: 1, out: "old run --name a b\nnew run --name a b\n" })
    expect(await start().ended).toMatchObject({ code: 1, out: "new run --name a b\n" })
    expect(file("failed")).toBeUndefined()
  })

  it.each([
    ["ends", says("new") + exits(3), "600", "ended with code 3"],
    ["cannot be read by Node", "}", "600", "ended with code 1"],
    ["is let in and ends before it is good", puts("admitted", "") + exits(0), "600", "ended with code 0"],
    ["asks for itself again", exits(75), "600", "ended with code 75"],
    ["is not let in in time", lives, "0.2", "was not let in by the hub within 0.2 s"]
  ])("puts the one before back where the new one %s", async (_, program, seconds, reason) => {
    const { start, file } = installation({ installed: says("old") + updateOnce + exits(9), new: program })
    const { code, out, errors } = await start(seconds).ended
    expect([code, out.split("\n").filter((line) => line.startsWith("old"))]).toEqual([
      9,
      ["old run --name a b", "old run --name a b"]
    ])
    expect(file("failed")).toMatch(new RegExp(`^releases/new\n${reason}`, "u"))
    expect([file("current"), file("trial")]).toEqual([undefined, undefined])
    expect(errors).toContain("the one before is put back")
  })

  it("puts back the update before, not the installed program, where that was the one that ran", async () => {
    const second = `if (!require("node:fs").existsSync(process.env.HUB_DAEMON_UPDATES + "/failed")) { ${
      puts("trial", "releases/first") + puts("current", "releases/new") + exits(75)
    } }`
    const { start, file, updates } = installation({ installed: exits(1), first: says("first") + second, new: exits(2) })
    writeFileSync(join(updates, "current"), "releases/first")
    expect(await start().ended).toMatchObject({ code: 0, out: "first run --name a b\nfirst run --name a b\n" })
    expect(file("current")).toBe("releases/first")
  })

  it("puts it back where the disk has no room for another file", async () => {
    const { start, file, updates } = installation({ installed: exits(1), first: says("first") + exits(0), new: lives })
    writeFileSync(join(updates, "current"), "releases/new")
    writeFileSync(join(updates, "trial"), "releases/first")
    for (const name of ["current.new", "late"]) mkdirSync(join(updates, name))
    expect(await start("0.2").ended).toMatchObject({ code: 0, out: "first run --name a b\n" })
    expect([file("current"), file("trial")]).toEqual(["releases/first", undefined])
  })

  it("passes the end of the service on, and keeps a trial for the next start", async () => {
    const { start, file } = installation({ installed: update, new: says("new") + lives })
    const { child, ended, said } = start()
    await said("new")
    child.kill("SIGTERM")
    expect((await ended).code).not.toBe(0)
    expect([file("current"), file("trial"), file("failed")]).toEqual(["releases/new", "", undefined])
  })
})
