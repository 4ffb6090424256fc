/** openapi-typescript and openapi-fetch: types of the document over the platform's fetch. */
import { runTool } from "./tools.ts"
import { typedProgram } from "./typed-program.ts"

typedProgram("openapi-typescript", "openapi-fetch", (folder) =>
  runTool("openapi-typescript", ["openapi.json", "--output", "generated/openapi-typescript.ts"], folder)
)
