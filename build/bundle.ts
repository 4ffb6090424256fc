/** One file of a program and all that it imports, for a Node. Owns how it is bundled. */
import { chmodSync } from "node:fs"
import { dirname, join } from "node:path"
import { httpByRequire } from "./http-by-require.ts"

/** Bundles `entry` into `file` of a folder. `target`: the oldest Node, such as `node20`. */
export const bundleProgram = async (
  entry: string,
  folder: string,
  file: string,
  target: string,
  define: Readonly<Record<string, string>> = {}
): Promise<void> => {
  const vite = await import("vite")
  await vite.build({
    root: dirname(entry),
    configFile: false,
    logLevel: "error",
    define,
    plugins: [httpByRequire],
    ssr: { noExternal: true, target: "node" },
    build: {
      outDir: folder,
      emptyOutDir: false,
      ssr: entry,
      target,
      minify: false,
      rolldownOptions: { output: { format: "es", entryFileNames: file, codeSplitting: false } }
    }
  })
  chmodSync(join(folder, file), 0o755)
}
