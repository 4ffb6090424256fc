/**
 * Vitest's global set-up for the tests with packages of their own: outside tools, and the frameworks of the samples.
 * Brings what package-lock.json of each folder names, once for each content of it. Owns node_modules there. Without the
 * network those tests are left out; in CI that fails the run.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import type { TestProject } from "vitest/node"
import { runNpm } from "../support/npm.ts"
import { root } from "../support/root.ts"
import { toolsFolder } from "./outside-tools.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Whether the outside tools could not be installed. */
    contractToolsMissing: boolean
    /** Whether the frameworks of examples/webhook-receivers could not be installed. */
    frameworksMissing: boolean
  }
}

const lockOf = (folder: string): string => readFileSync(join(folder, "package-lock.json"), "utf8")
const stampOf = (folder: string): string => join(folder, "node_modules/.hub-installed")
const isInstalled = (folder: string): boolean =>
  existsSync(stampOf(folder)) && readFileSync(stampOf(folder), "utf8") === lockOf(folder)

/** Installs what a folder's lock file names, unless it is there. False: npm could not. */
const install = (folder: string): boolean => {
  if (isInstalled(folder)) return true
  const lock = relative(root, join(folder, "package-lock.json"))
  process.stderr.write(`hub: installing what ${lock} names\n`)
  const { status, error } = runNpm(folder, ["ci"])
  if (status === 0) writeFileSync(stampOf(folder), lockOf(folder))
  else if (process.env["CI"] === "true") throw new Error(`npm could not install what ${lock} names`, { cause: error })
  else process.stderr.write(`hub: npm could not install what ${lock} names: the tests with it are left out\n`)
  return isInstalled(folder)
}

/** Installs the outside tools and the frameworks. */
export default (project: TestProject): void => {
  project.provide("contractToolsMissing", !install(toolsFolder))
  project.provide("frameworksMissing", !install(join(root, "examples/webhook-receivers")))
}
