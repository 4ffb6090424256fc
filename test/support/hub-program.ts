/**
 * The program that tests start as a process. Owns which: as people run it, built (build/hub.ts), where the test command
 * says that it is as new as its sources; else src/main.ts.
 */
import { join } from "node:path"
import { root } from "./root.ts"

export const hubProgram = process.env["HUB_TEST_PROGRAM"] ?? join(root, "src/main.ts")
