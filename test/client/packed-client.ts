/** The client as it is published: built, packed and installed into an empty folder. Owns that folder. */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runNpm } from "../support/npm.ts"
import { root } from "../support/root.ts"
import { testFolder } from "../support/temporary-folder.ts"

/** Makes such a folder for a test file. */
export const packedClient = async (): Promise<string> => {
  const folder = testFolder("packed-client")
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  // where it is called there is the package then, and its name is all that it prints
  const packed = execFileSync(join(root, "hub"), ["client", "pack"], { cwd: folder, encoding: "utf8" }).trim()
  const { status } = runNpm(folder, ["install", `./${packed}`])
  if (status !== 0) throw new Error(`npm install ${packed} ended with ${status}`)
  return folder
}
