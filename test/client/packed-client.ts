/** The client as it is published: built, packed and installed into an empty folder. Owns that folder. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runNode } from "../contract/outside-tools.ts"
import { runNpm } from "../support/npm.ts"
import { root } from "../support/root.ts"
import { testFolder } from "../support/temporary-folder.ts"

/** Makes such a folder for a test file. */
export const packedClient = async (): Promise<string> => {
  const folder = testFolder("packed-client")
  const built = await runNode(join(root, "client/build.ts"), [], root)
  if (built.code !== 0) throw new Error(`the client does not build: ${built.out}${built.err}`)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  for (const words of [
    ["pack", join(root, "client/dist")],
    ["install", "./hub-client-0.1.0.tgz"]
  ]) {
    const { status } = runNpm(folder, words)
    if (status !== 0) throw new Error(`npm ${words.join(" ")} ended with ${status}`)
  }
  return folder
}
