/** What package.json names is used. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { nativeParts } from "../../http/native/native-part.ts"
import { root } from "../support/root.ts"
import { type HouseFile, houseFiles, imports } from "./project-files.ts"

interface Package {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly engines: { readonly node: string }
}

const packageAt = (folder: string): Package =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Package
const { dependencies, devDependencies } = packageAt(".")
const tools = packageAt("test/contract").dependencies

/** Programs that the gate and the test command run, by where that is said; nothing imports them. */
const programs: Readonly<Record<string, string>> = {
  "@biomejs/biome": ".ci/run",
  typescript: ".ci/run",
  vitest: "test/run/main.ts"
}

/** The package that a specifier names: `@scope/name/part` is of `@scope/name`. */
const packageOf = (from: string): string => from.split("/", from.startsWith("@") ? 2 : 1).join("/")

const imported = (files: ReadonlyArray<HouseFile>): ReadonlySet<string> =>
  new Set(files.flatMap((file) => imports(file).map(({ from }) => packageOf(from))))

const runs = houseFiles.filter(({ path }) => /^(?:src|actors|http|daemon|integrator|publisher)\//u.test(path))

/** Types come for a package that has none of its own; those of Node for Node itself. */
const isOfUse = (name: string, used: ReadonlySet<string>): boolean =>
  used.has(name) || name === "@types/node" || (name.startsWith("@types/") && used.has(name.slice("@types/".length)))

describe("package.json", () => {
  it("has a Node that does not fit refused, not only named in a warning", () => {
    expect(packageAt(".").engines.node).toBe(">=22.19 <23 || ^24 || ^26")
    expect(readFileSync(join(root, ".npmrc"), "utf8").split("\n")).toContain("engine-strict=true")
  })

  it("names no dependency that what runs does not import", () => {
    // a native part is loaded by its file
    const used = new Set([...imported(runs), ...Object.values(nativeParts).map(({ library }) => library)])
    expect(Object.keys(dependencies).filter((name) => !isOfUse(name, used))).toEqual([])
  })

  it("names no development dependency that no test, no bench and no step of the gate uses", () => {
    const used = imported(houseFiles)
    const unused = Object.keys(devDependencies).filter((name) => {
      const said = programs[name]
      if (said !== undefined) return !readFileSync(join(root, said), "utf8").includes(`node_modules/${name}/`)
      return !isOfUse(name, used)
    })
    expect(unused).toEqual([])
  })

  it("names no outside tool that no test of the contract runs or imports", () => {
    const files = houseFiles.filter(({ path }) => path.startsWith("test/contract/"))
    const used = imported(files)
    const runs = (name: string) => files.some(({ text }) => text.includes(`"node_modules/${name}/`))
    // openapi-typescript writes its types with the compiler, and leaves it to its user to bring one
    const wanted = Object.keys(tools).filter((name) => name !== "typescript")
    expect(wanted.filter((name) => !runs(name) && !used.has(name))).toEqual([])
  })

  it("pins every version exactly", () => {
    const loose = Object.entries({ ...dependencies, ...devDependencies, ...tools }).filter(
      ([, version]) => !/^(?:npm:@?[\w./-]+@)?\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/u.test(version)
    )
    expect(loose).toEqual([])
  })
})
