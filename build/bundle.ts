/** One file of a program and all that it imports, for a Node. Owns how it is bundled. */
import { chmodSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Plugin } from "vite"
import { httpByRequire } from "./http-by-require.ts"

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Node holds a program's text with one byte per character where none is beyond Latin-1, else with two. */
const oneByteText: Plugin = {
  name: "one-byte-text",
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type === "chunk") file.code = file.code.replace(/[^\0-\x7f]/g, escaped)
    }
  }
}

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
    plugins: [httpByRequire, oneByteText],
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
