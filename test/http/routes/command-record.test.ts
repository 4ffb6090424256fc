/** Where the result of a stored terminal command is read. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { recordWith } from "../../../http/routes/command-record.ts"
import type { StoredCommand } from "../../../src/domain/command/stored-command.ts"
import { largeFrameBytes } from "../../../src/limits.ts"

it.each([
  ["on the loop where it is small", { output: "x" }, 0],
  ["off the loop where it has many bytes", { output: "x".repeat(largeFrameBytes) }, 1],
  ["off the loop where it has many small values", Array.from({ length: 1_000 }, (_, nth) => ({ [`n${nth}`]: 0 })), 1]
])("a stored result is read %s", async (_, result, times) => {
  let asked = 0
  const ask = () => Effect.sync(() => void asked++)
  const command = { type: "terminal_exec", accountId: "acc_1" } as StoredCommand
  await Effect.runPromise(recordWith({ ask } as never, command, JSON.stringify(result)))
  expect(asked).toBe(times)
})
