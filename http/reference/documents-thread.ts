/** A thread that makes the documents of the reference, hands them over and ends. Owns nothing. */
import { parentPort, workerData } from "node:worker_threads"
import { yieldCore } from "../../src/runtime/worker/yield-core.ts"
import { makeDocuments } from "./documents.ts"

yieldCore()
parentPort!.postMessage(makeDocuments((workerData as { readonly server: string }).server))
