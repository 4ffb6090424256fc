/** docs/cryptography.md names every file of the hub that uses cryptography, and no other. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root } from "../support/root.ts"
import { houseFiles, imports } from "./project-files.ts"

const libraries = new Set(["node:crypto", "jose", "openid-client", "@node-rs/argon2"])
const document = readFileSync(join(root, "docs/cryptography.md"), "utf8")

it("docs/cryptography.md is the inventory of what the hub uses of it", () => {
  const used = houseFiles
    .filter(({ path }) => /^(?:src|actors|http)\//u.test(path))
    .filter((file) => imports(file).some(({ from }) => libraries.has(from)))
    .map(({ path }) => path)
  const named = [...document.matchAll(/`((?:src|actors|http)\/[\w./-]+\.ts)`/gu)].map((match) => match[1]!)
  expect([...new Set(named)].sort()).toEqual(used.sort())
})
