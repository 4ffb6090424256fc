/**
 * Vitest's global set-up for the tests with outside tools: brings what package-lock.json of this folder names, once for
 * each content of it. Owns node_modules here. Without the network those tests are left out; in CI that fails the run.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { runNpm } from "../support/npm.ts"
import { toolsFolder } from "./tools.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Whether the outside tools could not be installed. */
    contractToolsMissing: boolean
  }
}

const stamp = join(toolsFolder, "node_modules/.hub-installed")
const lock = (): string => readFileSync(join(toolsFolder, "package-lock.json"), "utf8")
const isInstalled = (): boolean => existsSync(stamp) && readFileSync(stamp, "utf8") === lock()

/** Installs the tools, unless they are there. */
export default (project: TestProject): void => {
  if (!isInstalled()) {
    process.stderr.write("hub: installing the outside tools that test/contract/package-lock.json names\n")
    const { status, error } = runNpm(toolsFolder, ["ci"])
    if (status === 0) writeFileSync(stamp, lock())
    else if (process.env["CI"] === "true") throw new Error("npm could not install the outside tools", { cause: error })
    else process.stderr.write("hub: npm could not install the outside tools: the tests with them are left out\n")
  }
  project.provide("contractToolsMissing", !isInstalled())
}
