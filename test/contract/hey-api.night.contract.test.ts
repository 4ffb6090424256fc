/** @hey-api/openapi-ts, whose generator reads the document in its own way, makes a client of it that compiles. */
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, inject, it } from "vitest"
import { Api } from "../../http/api/api.ts"
import { referenceOf } from "../../http/reference/document.ts"
import { root } from "../support/root.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { runNode, runTool, toolsFolder } from "./outside-tools.ts"

const configuration = { input: "openapi.json", output: { path: "generated" }, logs: { file: false, level: "error" } }
/** As a careful caller does: strict. */
const compilerOptions = {
  target: "es2024",
  lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
  module: "esnext",
  moduleResolution: "bundler",
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true
}

it.skipIf(inject("contractToolsMissing"))(
  "@hey-api/openapi-ts makes a client of the document that has every operation, and that compiles",
  async () => {
    const folder = testFolder("hey-api")
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    write("openapi.json", JSON.stringify(referenceOf(Api, "https://hub.test").document))
    write("openapi-ts.config.mjs", `export default ${JSON.stringify(configuration)}\n`)
    write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["generated"] }))
    symlinkSync(join(toolsFolder, "node_modules"), join(folder, "node_modules"))
    expect(await runTool("openapi-ts", ["--file", "openapi-ts.config.mjs"], folder)).toMatchObject({ code: 0 })
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    expect(await runNode(compiler, ["-p", folder], folder)).toEqual({ code: 0, out: "", err: "" })
  }
)
