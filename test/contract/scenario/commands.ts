/** The chapter of commands that outlive their call: started, found in the list, read with their results, cancelled. */
import { until } from "../../support/until.ts"
import type { Calls } from "./calls.ts"
import { answered, refused, type World } from "./fixture.ts"

const prefer = "respond-async"

const placeOf = (started: object): string => {
  if (!("state" in started) || !("commandId" in started)) throw new Error(`it waited: ${JSON.stringify(started)}`)
  return String(started.commandId)
}

/** Started on a daemon that answers, until it has its result. */
const finished = async (world: World, key: Calls): Promise<string> => {
  const path = { daemonId: world.daemons.real }
  const header = { prefer, "idempotency-key": "built-once" }
  const body = { command: "printf kept", timeoutSeconds: 60 }
  const commandId = placeOf(await answered(key["daemons.terminal"]({ path, header, body }), 202))
  const ended = await until("the command ends", async () => {
    const read = await answered(key["commands.get"]({ path: { commandId } }))
    return read.state === "pending" ? undefined : read
  })
  const { stdout } = ended.result as { stdout: string }
  if (ended.state !== "succeeded" || stdout !== "kept") throw new Error(`it ended so: ${JSON.stringify(ended)}`)
  return commandId
}

/** What a command wrote that is over, in pages, and the stream. */
const outputOf = async (key: Calls, commandId: string): Promise<void> => {
  const path = { commandId }
  const first = await answered(key["commands.output"]({ path, query: { limit: 1 } }))
  if (first.events[0]?.["text"] !== "kept" || !first.more) throw new Error("the first page has the first output")
  const rest = await answered(key["commands.output"]({ path, query: { after: first.next } }))
  if (rest.events.at(-1)?.["type"] !== "exit" || rest.more) throw new Error("the last event is the exit")
  const oldest = await answered(key["commands.outputStream"]({ path, query: { after: "0" } }))
  if (oldest.id === undefined) throw new Error("the stream ended without an event")
  const header = { "last-event-id": oldest.id }
  const next = await answered(key["commands.outputStream"]({ path, query: {}, header }))
  if (next.id === undefined || next.id === oldest.id) throw new Error("the stream begins again")
  await refused(key["commands.output"]({ path, query: { after: "none" } }), 400, "VALIDATION_FAILED")
}

/** The whole of it. */
export const kept = async (world: World, key: Calls, reading: Calls): Promise<void> => {
  const over = await finished(world, key)
  await outputOf(key, over)
  const again = await answered(key["commands.cancel"]({ path: { commandId: over } }))
  if (again.state !== "succeeded") throw new Error("a cancel changed what was over")

  // its daemon answers nothing, and cannot end what it began
  const path = { daemonId: world.daemons.twice }
  const raw = { type: "screenshot" as const, timeoutSeconds: 3_600 }
  const pending = placeOf(await answered(key["daemons.command"]({ path, header: { prefer }, body: raw }), 202))
  const launch = { type: "tester", timeoutSeconds: 3_600 }
  placeOf(await answered(key["shortcuts.launch"]({ path, header: { prefer }, body: launch }), 202))
  const header = { "idempotency-key": "cancelled-once" }
  await refused(key["commands.cancel"]({ path: { commandId: pending }, header }), 409, "COMMAND_NOT_CANCELLABLE")
  const tooLong = { ...raw, timeoutSeconds: 61 }
  await refused(key["daemons.command"]({ path, body: tooLong }), 400, "VALIDATION_FAILED")

  const all = await answered(key["commands.list"]({ query: { limit: 1 } }))
  if (all.nextCursor === undefined) throw new Error("there is no second page")
  const next = await answered(key["commands.list"]({ query: { limit: 1, cursor: all.nextCursor } }))
  if (next.commands[0]?.commandId !== pending) throw new Error("the newest are not first")
  const query = { daemonId: world.daemons.twice, state: "pending" as const }
  if ((await answered(key["commands.list"]({ query }))).commands.length !== 2) throw new Error("two are pending")
  const unknown = { commandId: "cmd_none" }
  await refused(key["commands.get"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["commands.output"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["commands.outputStream"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["commands.output"]({ path: { commandId: pending } }), 404, "NOT_FOUND")
  await refused(reading["commands.get"]({ path: { commandId: pending } }), 403, "AUTH_FORBIDDEN")
}
