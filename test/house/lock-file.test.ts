/** What npm installs is what was published when the lock files were written, and runs nothing on the way. */
import { describe, expect, it } from "vitest"
import { type LockedPackage, lockedPackages } from "../support/lock-file.ts"

/** Every lock file, with the packages that may run a script when they are installed, and why. */
const folders: ReadonlyArray<readonly [folder: string, scripts: ReadonlyArray<string>]> = [
  // a test's job queue looks for its native part; without one it works as well
  [".", ["node_modules/msgpackr-extract"]],
  // these are installed with --ignore-scripts (test/support/npm.ts)
  ["test/contract", ["node_modules/@scarf/scarf", "node_modules/bun", "node_modules/deno"]],
  ["examples/webhook-receivers", []]
]

const pathsOf = (packages: ReadonlyArray<LockedPackage>) => packages.map(({ path }) => path)

describe.each(folders)("package-lock.json of %s", (folder, scripts) => {
  const all = lockedPackages(folder)

  it("pins every package by its SHA-512", () => {
    expect(all.length).toBeGreaterThan(20)
    const strong = /^sha512-[A-Za-z0-9+/]{86}==$/u
    expect(pathsOf(all.filter(({ integrity = "" }) => !strong.test(integrity)))).toEqual([])
  })

  it("names exact versions and no place to get a package from: neither git, nor an address, nor a registry", () => {
    expect(pathsOf(all.filter(({ version = "" }) => !/^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/u.test(version)))).toEqual([])
    expect(pathsOf(all.filter(({ resolved }) => resolved !== undefined))).toEqual([])
  })

  it("has no package that depends on an address", () => {
    const addressed = all.flatMap(({ path, dependencies, optionalDependencies, peerDependencies }) =>
      Object.entries({ ...peerDependencies, ...optionalDependencies, ...dependencies })
        .filter(([, wanted]) => /^(?:git|https?:|file:|ssh:|[\w-]+\/)|:\/\//u.test(wanted))
        .map(([name, wanted]) => `${path}: ${name} ${wanted}`)
    )
    expect(addressed).toEqual([])
  })

  it("has only known packages that run a script when they are installed, and none that the hub needs to run", () => {
    const running = all.filter(({ hasInstallScript }) => hasInstallScript === true)
    expect(pathsOf(running)).toEqual(scripts)
    expect(folder === "." ? pathsOf(running.filter(({ dev }) => dev !== true)) : []).toEqual([])
  })
})
