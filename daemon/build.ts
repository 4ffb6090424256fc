/**
 * Builds the daemon into daemon/dist, where its sources have changed: one file for Node 20 and later that needs no
 * other, and the package.json of an npm package of it. Owns what it is made of.
 */
import { hash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleProgram } from "../build/bundle.ts"
import { buildWhereChanged } from "../build/where-changed.ts"

const folder = dirname(fileURLToPath(import.meta.url))
const root = dirname(folder)
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string }
const program = "hub-daemon.mjs"
const minNode = "20.12"

const readme = `# hub-daemon

Connects this machine to a hub: it runs terminal commands and agents as the hub's owner asks.

\`\`\`sh
hub-daemon run --url https://hub.example --join hubj_...              # here and now
sudo hub-daemon install --url https://hub.example --join hubj_...     # as a service of the machine
hub-daemon status; hub-daemon logs --follow; hub-daemon uninstall
\`\`\`
`

await buildWhereChanged({
  name: "the daemon for other machines",
  into: join(folder, "dist"),
  sources: [
    folder,
    join(root, "build"),
    ...["cli", "domain", "limits", "protocol", "runtime"].map((name) => join(root, "src", name)),
    join(root, "src/errors.ts"),
    join(root, "client/src"),
    join(root, "package.json"),
    join(root, "package-lock.json")
  ],
  make: async (outDir) => {
    const define = { "process.env.HUB_DAEMON_VERSION": JSON.stringify(version) }
    await bundleProgram(join(folder, "program.ts"), outDir, program, "node20", define)
    const file = join(outDir, program)
    const sha256 = hash("sha256", readFileSync(file), "hex")
    writeFileSync(join(outDir, "release.json"), JSON.stringify({ version, sha256, minNode }))
    const manifest = {
      name: "@hub/daemon",
      version,
      description: "Connects a machine to a hub and does what the hub's owner asks of it.",
      license: "UNLICENSED",
      type: "module",
      engines: { node: `>=${minNode}` },
      bin: { "hub-daemon": program },
      files: [program, "README.md"]
    }
    writeFileSync(join(outDir, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
    writeFileSync(join(outDir, "README.md"), readme)
  }
})
