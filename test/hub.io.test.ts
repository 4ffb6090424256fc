/** The first words of `./hub` in a folder where nothing has been installed. */
import { spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root } from "./support/root.ts"
import { testFolder } from "./support/temporary-folder.ts"

const system = ["basename", "cat", "cksum", "dirname", "getconf", "ls", "mkdir", "mv", "rm", "sh", "sleep"]

it.each([
  ["there is a Node that is too old", ["node", "npm"]],
  ["there is none", ["npm"]]
])("brings a Node where %s, also in a clone of a minute ago", (_, programs) => {
  const [folder, tools] = [testFolder("clone"), testFolder("tools")]
  for (const name of ["hub", "package-lock.json"]) copyFileSync(join(root, name), join(folder, name))
  for (const name of system) symlinkSync(`/usr/bin/${name}`, join(tools, name))
  for (const name of programs) {
    writeFileSync(join(tools, name), "#!/bin/sh\nexit 1\n")
    chmodSync(join(tools, name), 0o755)
  }
  const { stderr } = spawnSync(join(folder, "hub"), ["version"], { encoding: "utf8", env: { PATH: tools } })
  expect(stderr).toMatch(/^hub: bringing node@2\d npm@10 into \.node\/ \(once\)\n/u)
})
