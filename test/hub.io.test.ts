/** What `./hub` does before anything else: in a folder where nothing has been installed, and after a change of Node. */
import { spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root } from "./support/root.ts"
import { testFolder } from "./support/temporary-folder.ts"

const system = ["basename", "cat", "cksum", "dirname", "getconf", "ls", "mkdir", "mv", "rm", "sh", "sleep"]

/** A clone on a machine with these programs, by what their scripts do. */
const clone = (programs: Readonly<Record<string, string>>) => {
  const [folder, tools] = [testFolder("clone"), testFolder("tools")]
  for (const name of ["hub", "package-lock.json"]) copyFileSync(join(root, name), join(folder, name))
  for (const name of system) symlinkSync(`/usr/bin/${name}`, join(tools, name))
  for (const [name, does] of Object.entries(programs)) {
    writeFileSync(join(tools, name), `#!/bin/sh\n${does}\n`)
    chmodSync(join(tools, name), 0o755)
  }
  const called = () => spawnSync(join(folder, "hub"), ["version"], { encoding: "utf8", env: { PATH: tools } }).stderr
  return { folder, called }
}

it.each([
  ["there is a Node that is too old", { node: "exit 1", npm: "exit 1" }],
  ["there is none", { npm: "exit 1" }]
])("brings a Node where %s, also in a clone of a minute ago", (_, programs) =>
  expect(clone(programs).called()).toMatch(/^hub: bringing node@2\d npm@10 into \.node\/ \(once\)\n/u)
)

it("installs anew for a Node whose native part of the server was left out for the one before", () => {
  const node = "case $* in *native-part*) exit 1 ;; esac"
  const { folder, called } = clone({ node, npm: '[ "$1" = --version ] && echo 10.9.4' })
  const lock = spawnSync("cksum", { input: readFileSync(join(root, "package-lock.json")), encoding: "utf8" }).stdout
  mkdirSync(join(folder, "node_modules"))
  for (const [name, text] of Object.entries({ installed: lock, node: "7 /usr/bin/another-node" }))
    writeFileSync(join(folder, "node_modules", `.hub-${name}`), text)
  expect(called()).toMatch(/^hub: installing what package-lock\.json names\n/u)
})
