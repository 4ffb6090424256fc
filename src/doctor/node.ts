/** Whether this Node is supported, and for how long. Owns the judgement; src/runtime/node-support.ts has the facts. */
import { nodeEndDaysWarned } from "../limits/doctor.ts"
import { majorOf, type Runtime, runtimeFault, supportedNodes } from "../runtime/node-support.ts"
import { error, type Finding, ok, warning } from "./finding.ts"

const check = "node"
const dayMillis = 86_400_000

/** `own`: a native part that the operator built. `now`: milliseconds since 1970. */
export const judgeNode = (runtime: Runtime, own: string | undefined, now: number): Finding => {
  const library = runtime.glibc === undefined ? "no glibc" : `glibc ${runtime.glibc}`
  const found = `Node ${runtime.node} on ${runtime.platform}-${runtime.arch}, ${library}`
  const fault = own === undefined ? runtimeFault(runtime) : undefined
  if (fault !== undefined) return error(check, found, fault)
  const whose = own === undefined ? "" : `; the native part is your own, ${own}`
  const ends = supportedNodes[majorOf(runtime)]?.ends
  if (ends === undefined) return warning(check, found + whose, "the project does not try this version of Node")
  const days = Math.floor((Date.parse(ends) - now) / dayMillis)
  const until = `${found}${whose}; maintained until ${ends}`
  return days > nodeEndDaysWarned ? ok(check, until) : warning(check, until, "change to a later version of Node")
}
