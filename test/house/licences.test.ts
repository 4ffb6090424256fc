/**
 * The licences of all packages are those that the project may use, and docs/licences.md lists them. After a change of
 * the packages: `./hub test test/house/licences.test.ts -u`.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type LockedPackage, lockedPackages, nameOf } from "../support/lock-file.ts"
import { root } from "../support/root.ts"
import { houseFiles, imports } from "./project-files.ts"

/** Of what runs: they ask for a notice at most. */
const allowed = "0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 ISC MIT Unlicense Zlib".split(" ")
/** Of what is only for development, and given to nobody: changes of these very files would have to be published. */
const allowedForDevelopment = [...allowed, "MPL-2.0"]

const all = lockedPackages()
/** What the console is bundled from runs too, in browsers. */
const bundled = new Set(
  houseFiles
    .filter(({ path }) => path.startsWith("console/src/"))
    .flatMap((file) => imports(file).map(({ from }) => from))
)
const runs = (one: LockedPackage): boolean => one.dev !== true || bundled.has(nameOf(one))
const running = all.filter(runs)
const developing = all.filter((one) => !runs(one))

/** `(MIT AND Zlib)`: each of them must be allowed. */
const termsOf = ({ license = "none" }: LockedPackage) =>
  license.split(/[() ]+|\b(?:AND|OR)\b/u).filter((one) => one !== "")
const others = (packages: ReadonlyArray<LockedPackage>, known: ReadonlyArray<string>) =>
  packages
    .filter((one) => !termsOf(one).every((term) => known.includes(term)))
    .map(({ path, license }) => ({ path, license }))

const table = (packages: ReadonlyArray<LockedPackage>): ReadonlyArray<string> => [
  "| package | version | licence |",
  "|---|---|---|",
  ...packages.map((one) => `| ${nameOf(one)} | ${one.version} | ${one.license} |`)
]

const document = [
  "# Licences",
  "",
  "Of every package in `package-lock.json`, also of those that are for another platform than yours. Written by",
  "`./hub test test/house/licences.test.ts -u`; [supply-chain.md](supply-chain.md) says what is allowed and how to get this as data.",
  "",
  "## What runs",
  "",
  ...table(running),
  "",
  "## What is only for development",
  "",
  ...table(developing),
  ""
].join("\n")

describe("the packages", () => {
  it("have licences that the project may use", () => {
    expect(others(running, allowed)).toEqual([])
    expect(others(developing, allowedForDevelopment)).toEqual([])
  })

  it("say themselves what the lock file says of them", () => {
    const installed = all.filter(({ path }) => existsSync(join(root, path, "package.json")))
    expect(installed.length).toBeGreaterThan(running.length / 2)
    const differing = installed.filter(({ path, version, license }) => {
      const said = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")) as LockedPackage
      return said.version !== version || (said.license !== undefined && said.license !== license)
    })
    expect(differing.map(({ path }) => path)).toEqual([])
  })

  it("are those of docs/licences.md", () => expect(document).toMatchFileSnapshot(join(root, "docs/licences.md")))
})
