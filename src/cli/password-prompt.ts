/**
 * A password that does not stand on the command line, where every user of the computer could read it. Owns that
 * reading.
 */
import { createInterface } from "node:readline"
import { Effect } from "effect"
import type { AdminRequest } from "../admin/requests.ts"

/** Empty where the input ends without a line. */
const firstLine: Effect.Effect<string> = Effect.callback((resume) => {
  const lines = createInterface({ input: process.stdin, terminal: false })
  lines.once("line", (line) => resume(Effect.succeed(line)))
  lines.once("close", () => resume(Effect.succeed("")))
  return Effect.sync(() => lines.close())
})

/** The request with the first line of stdin as its password, when it asks for that with `-`. */
export const passwordFromInput = (request: AdminRequest): Effect.Effect<AdminRequest> =>
  "password" in request && request.password === "-"
    ? Effect.map(firstLine, (password) => ({ ...request, password }))
    : Effect.succeed(request)
