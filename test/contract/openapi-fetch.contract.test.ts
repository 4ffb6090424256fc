/** openapi-typescript and openapi-fetch: types of the document over the platform's fetch. */

import { typedProgram } from "./generated-client.ts"
import { runTool } from "./outside-tools.ts"

typedProgram("openapi-typescript", "openapi-fetch", (folder) =>
  runTool("openapi-typescript", ["openapi.json", "--output", "generated/openapi-typescript.ts"], folder)
)
