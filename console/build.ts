/** Builds the console into console/dist, where its sources have changed. Owns what it is made of. */
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { buildWhereChanged } from "../build/where-changed.ts"

const folder = dirname(fileURLToPath(import.meta.url))
const root = dirname(folder)

await buildWhereChanged({
  name: "the console",
  into: join(folder, "dist"),
  sources: [
    join(folder, "src"),
    join(root, "client/src"),
    join(folder, "build.ts"),
    join(folder, "index.html"),
    join(folder, "manifest.webmanifest"),
    join(folder, "push-worker"),
    join(folder, "vite.config.ts"),
    join(root, "package-lock.json")
  ],
  make: async (outDir) => {
    // a test's own environment would make a bundle for development
    process.env["NODE_ENV"] = "production"
    const vite = await import("vite")
    const configFile = join(folder, "vite.config.ts")
    await vite.build({ root: folder, configFile, build: { outDir } })
    // a worker is a program of its own
    const rolldownOptions = {
      input: join(folder, "push-worker/push-worker.ts"),
      output: { entryFileNames: "push-worker.js" }
    }
    await vite.build({ root: folder, configFile, build: { outDir, emptyOutDir: false, rolldownOptions } })
  }
})
