/** Lets only those failures out that a client may see: the SDK would send the words of any other. Owns that rule. */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server"
import type { McpCall } from "./tool-calls.ts"

const asKnown = (call: McpCall, error: unknown): ProtocolError => {
  if (error instanceof ProtocolError) return error
  call.defect(error)
  return new ProtocolError(ProtocolErrorCode.InternalError, "Internal error")
}

/** Runs what may fail; a failure of the hub is logged, and is an internal error to the client. */
export const hideInternalFailures = <A>(call: McpCall, run: () => A): A => {
  let done: A
  try {
    done = run()
  } catch (error) {
    throw asKnown(call, error)
  }
  if (!(done instanceof Promise)) return done
  return done.catch((error: unknown) => {
    throw asKnown(call, error)
  }) as A
}
