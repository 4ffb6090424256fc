/** A thread that makes the tools of agents from the contract, hands them over and ends. Owns nothing. */
import { parentPort, workerData } from "node:worker_threads"
import { yieldCore } from "../../src/runtime/worker/yield-core.ts"
import { Api } from "../api/api.ts"
import { referenceOf } from "../reference/document.ts"
import { toolsOf } from "./tools.ts"

yieldCore()
parentPort!.postMessage(toolsOf(referenceOf(Api, (workerData as { readonly server: string }).server)))
