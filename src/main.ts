/**
 * Where the process begins. Owns that the thread of an embedded database begins before the hub's own modules are read;
 * hub/composition-root.ts is the program.
 */
import { prepareWorker } from "./store/embedded/prepared-worker.ts"

if (process.argv[2] === "start" && (process.env["DATABASE_URL"] ?? "").trim() === "") prepareWorker()
await import("./hub/composition-root.ts")
