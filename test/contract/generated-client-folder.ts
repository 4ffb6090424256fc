/**
 * A temporary folder in which a typed program is generated for, compiled and run: the document, the story and the
 * programs lie in it as in the repository, the tools' packages are linked. Owns its contents.
 */
import { cpSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../support/root.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { type Ended, runNode, toolsFolder } from "./outside-tools.ts"
import type { Step, World } from "./scenario/fixture.ts"

/** One such folder. */
export interface Workshop {
  readonly folder: string
  /** Compiles the program as a careful caller does: strict, the libraries' types included. */
  readonly compile: () => Promise<Ended>
  /** Runs the program; gives the log of its story. */
  readonly tell: (world: World) => Promise<ReadonlyArray<Step>>
}

const compilerOptions = {
  target: "es2024",
  lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
  module: "nodenext",
  types: ["node"],
  typeRoots: [join(root, "node_modules/@types")],
  strict: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  noEmit: true
}

/** Makes one for a program of generated-clients/. */
export const workshop = (program: string, document: unknown): Workshop => {
  const base = testFolder(`program-${program}`)
  const folder = join(base, "contract")
  for (const part of ["contract/scenario", "contract/generated-clients", "support/until.ts"]) {
    cpSync(join(root, "test", part), join(base, part), { recursive: true })
  }
  symlinkSync(join(toolsFolder, "node_modules"), join(folder, "node_modules"))
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(document))
  writeFileSync(join(base, "package.json"), JSON.stringify({ type: "module" }))
  const entry = `generated-clients/${program}.ts`
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [entry] }))
  return {
    folder,
    compile: () => runNode(join(root, "node_modules/typescript/bin/tsc"), ["-p", folder], folder),
    tell: async (world) => {
      const { code, out, err } = await runNode(join(folder, entry), [], folder, JSON.stringify(world))
      if (code !== 0) throw new Error(err)
      return JSON.parse(out) as ReadonlyArray<Step>
    }
  }
}
