/** Builds the commands that only talk to a hub into integrator/dist, where their sources have changed. */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleProgram } from "../build/bundle.ts"
import { buildWhereChanged } from "../build/where-changed.ts"

const folder = dirname(fileURLToPath(import.meta.url))
const root = dirname(folder)
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string }

await buildWhereChanged({
  name: "the command line",
  into: join(folder, "dist"),
  sources: [
    folder,
    join(root, "build"),
    join(root, "client/src"),
    ...["cli", "domain", "limits", "runtime"].map((name) => join(root, "src", name)),
    join(root, "package.json"),
    join(root, "package-lock.json")
  ],
  make: (outDir) =>
    bundleProgram(join(folder, "program.ts"), outDir, "hub-cli.mjs", "node22", {
      "process.env.HUB_CLI_VERSION": JSON.stringify(version)
    })
})
