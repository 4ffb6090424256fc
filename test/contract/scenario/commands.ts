/** The chapter of commands that outlive their call: started, found in the list, read with their results, cancelled. */
import { until } from "../../support/until.ts"
import type { Calls } from "./calls.ts"
import { answered, refused, type World } from "./fixture.ts"

const prefer = "respond-async"

/** Started on a daemon that answers, until it has its result. */
const finished = async (world: World, key: Calls): Promise<string> => {
  const path = { daemonId: world.daemons.real }
  const header = { prefer, "idempotency-key": "built-once" }
  const body = { command: "printf kept", timeoutSeconds: 60 }
  const { commandId } = await answered(key["daemons.terminal"]({ path, header, body }), 202)
  await until("the command ends", async () => {
    const read = await answered(key["commands.get"]({ path: { commandId } }))
    return read.state === "pending" ? undefined : read
  })
  return commandId
}

/** What a command wrote that is over, in pages, and the stream. */
const outputOf = async (key: Calls, commandId: string): Promise<void> => {
  const path = { commandId }
  const first = await answered(key["commands.output"]({ path, query: { limit: 1 } }))
  await answered(key["commands.output"]({ path, query: { after: first.next } }))
  const oldest = await answered(key["commands.outputStream"]({ path, query: { after: "0" } }))
  const header = { "last-event-id": oldest.id }
  await answered(key["commands.outputStream"]({ path, query: {}, header }))
  await refused(key["commands.output"]({ path, query: { after: "none" } }), 400, "VALIDATION_FAILED")
}

/** The whole of it. */
export const kept = async (world: World, key: Calls, reading: Calls): Promise<void> => {
  const over = await finished(world, key)
  await outputOf(key, over)
  await answered(key["commands.cancel"]({ path: { commandId: over } }))

  // its daemon answers nothing, and cannot end what it began
  const path = { daemonId: world.daemons.twice }
  const raw = { type: "screenshot" as const, timeoutSeconds: 3_600 }
  const pending = (await answered(key["daemons.command"]({ path, header: { prefer }, body: raw }), 202)).commandId
  const launch = { type: "tester", timeoutSeconds: 3_600 }
  await answered(key["shortcuts.launch"]({ path, header: { prefer }, body: launch }), 202)
  const header = { "idempotency-key": "cancelled-once" }
  await refused(key["commands.cancel"]({ path: { commandId: pending }, header }), 409, "COMMAND_NOT_CANCELLABLE")
  const tooLong = { ...raw, timeoutSeconds: 61 }
  await refused(key["daemons.command"]({ path, body: tooLong }), 400, "VALIDATION_FAILED")

  const all = await answered(key["commands.list"]({ query: { limit: 1 } }))
  await answered(key["commands.list"]({ query: { limit: 1, cursor: all.nextCursor } }))
  await answered(key["commands.list"]({ query: { daemonId: world.daemons.twice, state: "pending" } }))
  const unknown = { commandId: "cmd_none" }
  await refused(key["commands.get"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["commands.output"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["commands.outputStream"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["commands.output"]({ path: { commandId: pending } }), 404, "NOT_FOUND")
  await refused(reading["commands.get"]({ path: { commandId: pending } }), 403, "AUTH_FORBIDDEN")
}
