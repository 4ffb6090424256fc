/** The chapter of daemons: enrolled, listed, told what to do by raw commands, disconnected, revoked, removed. */
import type { Calls } from "./calls.ts"
import { answered, done, refused, type World } from "./fixture.ts"

/** A daemon's life as its owner sees it, without the daemon. */
export const life = async (session: Calls, stale: Calls): Promise<void> => {
  const header = { "idempotency-key": "the-first-daemon" }
  const { daemonId } = await answered(session["daemons.enroll"]({ header, body: { name: "new" } }), 201)
  const path = { daemonId }
  await answered(session["daemons.enroll"]({ body: { daemonId } }), 201)
  const { nickname } = await answered(session["daemons.status"]({ path }))
  if (nickname !== "new") throw new Error("it is not called as it was enrolled")
  await refused(session["daemons.enroll"]({ body: { daemonId: "dmn_none" } }), 404, "NOT_FOUND")
  await refused(stale["daemons.enroll"]({ body: {} }), 403, "RECENT_LOGIN_REQUIRED")
  await answered(session["daemons.disconnect"]({ path, header: { "idempotency-key": "left" } }))
  await answered(session["daemons.revoke"]({ path, header: { "idempotency-key": "revoked" } }))
  await answered(session["daemons.remove"]({ path }))
  await refused(session["daemons.remove"]({ path }), 404, "NOT_FOUND")
  await refused(session["daemons.revoke"]({ path }), 404, "NOT_FOUND")
  await refused(session["daemons.disconnect"]({ path }), 404, "NOT_FOUND")
}

/** The list in pages, and one daemon of it. */
export const read = async (world: World, key: Calls): Promise<void> => {
  await answered(key["daemons.list"]({}))
  const { nextCursor } = await answered(key["daemons.list"]({ query: { include: "offline", limit: 1 } }))
  await answered(key["daemons.list"]({ query: { include: "offline", limit: 1, cursor: nextCursor } }))
  await refused(key["daemons.list"]({ query: { cursor: "none" } }), 400, "VALIDATION_FAILED")
  await answered(key["daemons.status"]({ path: { daemonId: world.daemons.real } }))
  await refused(key["daemons.status"]({ path: { daemonId: "dmn_none" } }), 404, "NOT_FOUND")
}

/** Terminal commands. */
export const terminal = async (world: World, key: Calls, reading: Calls): Promise<void> => {
  const path = { daemonId: world.daemons.real }
  const body = { command: "printf told", name: "a name", cwd: world.folder }
  const header = { "idempotency-key": "told-once" }
  await done(key["daemons.terminal"]({ path, header, body }))
  await done(key["daemons.terminal"]({ path, header, body }))
  const other = { path, header, body: { command: "printf another" } }
  await refused(key["daemons.terminal"](other), 422, "IDEMPOTENCY_MISMATCH")
  await refused(key["daemons.terminal"]({ path, body: { command: " " } }), 400, "VALIDATION_FAILED")
  await refused(reading["daemons.terminal"]({ path, body }), 403, "AUTH_FORBIDDEN")
  const offline = { daemonId: world.daemons.offline }
  await refused(key["daemons.terminal"]({ path: offline, body }), 500, "DAEMON_OFFLINE")
  const nowhere = { path, body: { command: "true", cwd: "/nowhere" } }
  await answered(key["daemons.terminal"](nowhere))
}

/** Raw commands: those of an agent are in the chapter of agents. */
export const commands = async (world: World, key: Calls): Promise<void> => {
  const path = { daemonId: world.daemons.real }
  const unknown = { type: "read_chat" as const, payload: { targetSessionId: "none" } }
  await refused(key["daemons.command"]({ path, body: unknown }), 404, "NOT_FOUND")
  await answered(key["daemons.command"]({ path, body: { type: "screenshot", payload: { width: 80 } } }))
  await refused(
    key["daemons.command"]({ path: { daemonId: world.daemons.offline }, body: { type: "read_chat" } }),
    500,
    "DAEMON_OFFLINE"
  )
}

/** A daemon that does not answer, and one that is lost: told in the order in which the hub finds out. */
export const silence = async (world: World, key: Calls, session: Calls): Promise<void> => {
  const path = { daemonId: world.daemons.silent }
  const body = { type: "read_chat" as const }
  await refused(key["daemons.command"]({ path, body }), 504, "COMMAND_TIMEOUT")
  await refused(session["daemons.remove"]({ path }), 409, "DAEMON_ONLINE")
  // two calls with one key: whichever comes first runs, the other is refused at once
  const header = { "idempotency-key": "never-answered" }
  const both = [1, 2].map(() => key["daemons.command"]({ path, header, body }))
  await refused(Promise.race(both), 409, "IDEMPOTENCY_CONFLICT")
  await refused(key["daemons.terminal"]({ path, body: { command: "hang up" } }), 503, "DAEMON_SOCKET_LOST")
  await Promise.all(both)
}
