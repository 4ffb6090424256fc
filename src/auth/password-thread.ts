/** A thread that compares passwords, one at a time, below the event loop's priority. Owns nothing. */
import { parentPort } from "node:worker_threads"
import { verifySync } from "@node-rs/argon2"
import { yieldCore } from "../runtime/worker/yield-core.ts"

/** A stored hash and the password that is held against it. */
export interface Comparison {
  readonly stored: string
  readonly password: string
}

const matches = ({ stored, password }: Comparison): boolean => {
  try {
    return verifySync(stored, password)
  } catch {
    // a stored hash that does not parse matches nothing
    return false
  }
}

yieldCore()
parentPort!.on("message", (asked: Comparison) => parentPort!.postMessage(matches(asked)))
