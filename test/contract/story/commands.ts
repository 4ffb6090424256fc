/** The chapter of commands that outlive their call: started, found in the list, read with their results, cancelled. */
import { until } from "../../support/until.ts"
import type { Calls } from "./calls.ts"
import { answered, refused, type World } from "./world.ts"

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

/** The whole of it. */
export const kept = async (world: World, key: Calls, reading: Calls): Promise<void> => {
  const over = await finished(world, key)
  const again = await answered(key["commands.cancel"]({ path: { commandId: over } }))
  if (again.state !== "succeeded") throw new Error("a cancel changed what was over")

  // its daemon answers nothing, and cannot end what it began
  const path = { daemonId: world.daemons.twice }
  const raw = { type: "read_chat" as const, timeoutSeconds: 3_600 }
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
  await refused(key["commands.get"]({ path: { commandId: "cmd_none" } }), 404, "NOT_FOUND")
  await refused(reading["commands.get"]({ path: { commandId: pending } }), 403, "AUTH_FORBIDDEN")
}
