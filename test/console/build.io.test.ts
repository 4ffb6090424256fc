/** The console is built when its sources have changed, and only then; a build that fails stops nothing. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { root } from "../support/root.ts"
import { testFolder } from "../support/temporary-folder.ts"

describe("the build of the console", () => {
  let copy: string
  beforeAll(() => {
    copy = testFolder("console-build")
    const built = (path: string) => /(?:^|\/)dist(?:[./]|$)/u.test(path.slice(root.length))
    for (const path of ["build", "console", "client", "package-lock.json", "tsconfig.json"])
      cpSync(join(root, path), join(copy, path), { recursive: true, filter: (from) => !built(from) })
  })
  const build = () => spawnSync(process.execPath, [join(copy, "console/build.ts")], { encoding: "utf8" })
  const script = () => join(copy, "console/dist/app.js")

  it("says what is wrong, and leaves nothing half made, where its tools are missing", () => {
    const { status, stderr } = build()
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^hub: the console was not built: .*vite/u)])
    expect(existsSync(join(copy, "console/dist"))).toBe(false)
  })

  it("makes a page that names nothing but its own files", () => {
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
    expect([build().status, existsSync(script())]).toEqual([0, true])
    const page = readFileSync(join(copy, "console/dist/index.html"), "utf8")
    expect([...page.matchAll(/(?:src|href)="(?!data:)([^"]+)"/gu)].map((match) => match[1])).toEqual([
      "/console/app.webmanifest",
      "/console/app.js",
      "/console/app.css"
    ])
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/u)
  })

  it("makes a whole page also where several builds begin at once, and leaves nothing else", async () => {
    rmSync(join(copy, "console/dist"), { recursive: true })
    const ends = [1, 2, 3].map(() => once(spawn(process.execPath, [join(copy, "console/build.ts")]), "close"))
    expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0, 0])
    expect(readdirSync(join(copy, "console/dist")).sort()).toEqual(
      ".sources app.css app.js app.webmanifest index.html push-worker.js".split(" ")
    )
    expect(readdirSync(join(copy, "console")).filter((name) => name.startsWith("dist"))).toEqual(["dist"])
  })

  it("leaves what it made while no source changes", () => {
    const { ino } = statSync(script())
    expect([build().status, statSync(script()).ino]).toEqual([0, ino])
  })

  it("builds again after a change", () => {
    const { ino } = statSync(script())
    cpSync(join(copy, "console/src/limits.ts"), join(copy, "console/src/added.ts"))
    expect([build().status, statSync(script()).ino === ino]).toEqual([0, false])
  })
})
