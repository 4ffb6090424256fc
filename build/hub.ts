/**
 * Builds the hub into build/dist, where its sources have changed: its own modules and the packages' in a few files,
 * which a start reads in half of the CPU time and which answer a call in four fifths (`hub bench start rest`). Owns
 * what becomes of a module's own address in there, and which packages stay as they are installed.
 */
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import type { Plugin } from "vite"
import { httpByRequire } from "./http-by-require.ts"
import { buildWhereChanged } from "./where-changed.ts"

const folder = dirname(fileURLToPath(import.meta.url))
const root = dirname(folder)

/** The programs and threads that begin in a file of their own. */
const entries: Readonly<Record<string, string>> = {
  hub: "src/main.ts",
  "database-thread": "src/store/embedded/worker.ts",
  "export-thread": "src/store/backup/export-worker.ts",
  "work-thread": "src/runtime/worker/thread.ts",
  "reference-thread": "http/reference/documents-thread.ts",
  "tools-thread": "http/mcp/tools-thread.ts",
  "password-thread": "src/auth/password-thread.ts"
}

/** Packages that bring native code or files beside their own. */
const asInstalled = ["@electric-sql/pglite", "@node-rs/argon2", "uWebSockets.js", "uWebSockets.js-20.69"]

const toEntry = new Map(Object.entries(entries).map(([name, file]) => [join(root, file), `./${name}.mjs`]))

const ownAddress = /new URL\("([^"]+)", import\.meta\.url\)|import\.meta\.url/gu

/**
 * Addresses beside a module's source stay there; that of a program or a thread is its built file. The hub begins with
 * what has its stacks name the sources.
 */
const addressesOfSources: Plugin = {
  name: "addresses-of-sources",
  enforce: "pre",
  // the bench is there only where the sources are
  resolveId: (id) => (id.endsWith("/bench/bench.ts") ? { id: "../../bench/bench.ts", external: true } : undefined),
  transform(code, id) {
    if (id === join(root, "src/main.ts")) return { code: `import "../build/source-stacks.ts"; ${code}`, map: null }
    if (!id.endsWith(".ts") || id.includes("/node_modules/") || !code.includes("import.meta.url")) return undefined
    const source = `new URL(${JSON.stringify(relative(join(folder, "dist"), id))}, import.meta.url)`
    const built = code.replace(ownAddress, (_, beside?: string) => {
      const entry = beside === undefined ? undefined : toEntry.get(resolve(dirname(id), beside))
      if (entry !== undefined) return `new URL("${entry}", import.meta.url)`
      return beside === undefined ? `${source}.href` : `new URL(${JSON.stringify(beside)}, ${source})`
    })
    return { code: built, map: null }
  }
}

await buildWhereChanged({
  name: "the hub",
  into: join(folder, "dist"),
  sources: [
    ...["src", "actors", "http", "client/src", "daemon", "integrator", "publisher", "build"],
    ...["package.json", "package-lock.json"]
  ].map((name) => join(root, name)),
  make: async (outDir) => {
    const vite = await import("vite")
    await vite.build({
      root,
      configFile: false,
      logLevel: "error",
      publicDir: false,
      plugins: [addressesOfSources, httpByRequire],
      ssr: { noExternal: true, external: asInstalled, target: "node" },
      build: {
        outDir,
        emptyOutDir: false,
        ssr: true,
        target: "node22",
        minify: false,
        sourcemap: true,
        rolldownOptions: {
          input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(root, file)])),
          output: {
            format: "es",
            entryFileNames: "[name].mjs",
            chunkFileNames: "[name]-[hash].mjs",
            sourcemapExcludeSources: true,
            // without comments and blanks: Node holds the text of all that it loads
            minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } }
          }
        }
      }
    })
  }
})
