/** @hey-api/openapi-ts: a generated client with a function per operation. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { typedProgram } from "./generated-client.ts"
import { runTool } from "./outside-tools.ts"

const configuration = {
  input: "openapi.json",
  // Node runs the generated files as they are
  output: { path: "generated/hey-api", importFileExtension: ".ts" },
  logs: { file: false, level: "error" }
}

typedProgram("@hey-api/openapi-ts", "hey-api", (folder) => {
  writeFileSync(join(folder, "openapi-ts.config.mjs"), `export default ${JSON.stringify(configuration)}\n`)
  return runTool("openapi-ts", ["--file", "openapi-ts.config.mjs"], folder)
})
