/** The chapter of agents: launched, told something, read, approved, watched as events, stopped. */
import { until } from "../../support/until.ts"
import type { Calls } from "./calls.ts"
import { answered, done, refused, type World } from "./fixture.ts"

const agentType = "tester"

const launch = async (world: World, key: Calls): Promise<string> => {
  const path = { daemonId: world.daemons.real }
  const header = { "idempotency-key": crypto.randomUUID() }
  const body = { type: agentType, dir: world.folder, model: "small" }
  const { result } = await done(key["shortcuts.launch"]({ path, header, body }))
  const { sessionId } = result as { sessionId: string }
  const ideId = `${world.daemons.real}:session:${sessionId}`
  await until("the hub knows the agent", async () => {
    const { status } = await key["shortcuts.status"]({ path: { ideId } })
    return status === 200
  })
  return sessionId
}

const settled = (key: Calls, ideId: string, status: string): Promise<unknown> =>
  until(`the agent is ${status}`, async () => {
    const known = await answered(key["shortcuts.status"]({ path: { ideId }, query: { agentType } }))
    return known.status === status
  })

/** A turn in one call, and a long poll that nothing ends. */
const waits = async (key: Calls, ideId: string): Promise<void> => {
  const path = { ideId }
  const query = { wait: "idle" as const, timeoutSeconds: 30 }
  await done(key["shortcuts.send"]({ path, query, body: { message: "hello at once" } }))
  const { version } = await answered(key["shortcuts.status"]({ path, query: { agentType } }))
  const since = { waitFor: "change" as const, since: version, timeoutSeconds: 1 }
  await answered(key["shortcuts.status"]({ path, query: since }))
}

/** A question from the inbox, and a turn that is interrupted. */
const inbox = async (key: Calls, ideId: string): Promise<void> => {
  const path = { ideId }
  await done(key["shortcuts.send"]({ path, body: { message: "ask" } }))
  const query = { state: "pending" as const, selector: "!never", limit: 1 }
  await refused(key["approvals.list"]({ query: { ...query, cursor: "none" } }), 400, "VALIDATION_FAILED")
  const { approvalId, promptId } = await until("the question", async () => {
    const { nextCursor } = await answered(key["approvals.list"]({ query }))
    if (nextCursor !== undefined) await answered(key["approvals.list"]({ query: { ...query, cursor: nextCursor } }))
    const { approvals } = await answered(key["approvals.list"]({}))
    return approvals.find(({ daemonId }: { readonly daemonId: string }) => ideId.startsWith(daemonId))
  })
  const asked = { path: { approvalId } }
  const other = { decision: "approve" as const, promptId: "seen before", message: "looks good" }
  await refused(key["approvals.resolve"]({ ...asked, body: other }), 409, "PROMPT_CHANGED")
  const header = { "idempotency-key": "answered" }
  await done(key["approvals.resolve"]({ ...asked, header, body: { ...other, promptId } }))
  await settled(key, ideId, "idle")
  const late = { optionId: "once" }
  await refused(key["approvals.resolve"]({ ...asked, body: late }), 409, "ALREADY_RESOLVED")
  await refused(key["approvals.resolve"]({ path: { approvalId: "none" }, body: late }), 404, "NOT_FOUND")
  await done(key["shortcuts.send"]({ path, body: { message: "hang" } }))
  await done(key["shortcuts.interrupt"]({ path, header: { "idempotency-key": "interrupted" }, body: { agentType } }))
  await settled(key, ideId, "idle")
}

const talk = async (key: Calls, ideId: string): Promise<void> => {
  const path = { ideId }
  const header = { "idempotency-key": "said-once" }
  await done(key["shortcuts.send"]({ path, header, body: { message: "hello", agentType } }))
  await settled(key, ideId, "idle")
  const input = { parts: [{ type: "text" as const, text: "ask" }], textFallback: "ask" }
  await done(key["shortcuts.send"]({ path, body: { input } }))
  await settled(key, ideId, "waiting_approval")
  await done(key["shortcuts.read"]({ path, query: { agentType } }))
  await done(key["shortcuts.debug"]({ path, query: { agentType } }))
  const frontendSnapshot = { activeConversation: { sessionId: ideId } }
  await done(
    key["shortcuts.debugWith"]({ path, header: { "idempotency-key": "shown" }, body: { agentType, frontendSnapshot } })
  )
  const { activeModal } = await answered(key["shortcuts.status"]({ path }))
  const promptId = activeModal?.promptId
  await done(
    key["shortcuts.approve"]({
      path,
      header: { "idempotency-key": "approved" },
      body: { action: "approve", agentType, ...(promptId !== undefined && { promptId }) }
    })
  )
  await settled(key, ideId, "idle")
  await inbox(key, ideId)
  await refused(key["shortcuts.send"]({ path, body: {} }), 400, "VALIDATION_FAILED")
}

/** The same through the raw command. */
const rawly = async (world: World, key: Calls, sessionId: string): Promise<void> => {
  const path = { daemonId: world.daemons.real }
  const payload = { targetSessionId: sessionId, message: "hello again" }
  const header = { "idempotency-key": "sent-once" }
  await done(key["daemons.command"]({ path, header, body: { type: "send_chat", payload } }))
  await done(key["daemons.command"]({ path, body: { type: "read_chat", payload: { targetSessionId: sessionId } } }))
}

/** An agent from its launch to its end. */
export const agents = async (world: World, key: Calls, reading: Calls): Promise<void> => {
  const daemon = { daemonId: world.daemons.real }
  const sessionId = await launch(world, key)
  const ideId = `${world.daemons.real}:session:${sessionId}`
  await talk(key, ideId)
  await waits(key, ideId)
  await rawly(world, key, sessionId)
  const header = { "idempotency-key": "stopped" }
  await done(key["shortcuts.stop"]({ path: daemon, header, body: { type: agentType } }))

  const none = { ideId: "dmn_none" }
  await refused(key["shortcuts.status"]({ path: none }), 404, "NOT_FOUND")
  await refused(key["shortcuts.read"]({ path: none }), 404, "NOT_FOUND")
  await refused(key["shortcuts.debug"]({ path: none }), 404, "NOT_FOUND")
  await refused(reading["shortcuts.read"]({ path: { ideId } }), 403, "AUTH_FORBIDDEN")
  await refused(reading["shortcuts.launch"]({ path: daemon, body: { type: agentType } }), 403, "AUTH_FORBIDDEN")
  const offline = { daemonId: world.daemons.offline }
  await refused(key["shortcuts.stop"]({ path: offline, body: { type: agentType } }), 500, "DAEMON_OFFLINE")

  const twice = { ideId: world.daemons.twice }
  await refused(key["shortcuts.send"]({ path: twice, body: { message: "hello" } }), 400, "AMBIGUOUS_TARGET")
  await refused(key["shortcuts.approve"]({ path: twice, body: { action: "reject" } }), 400, "AMBIGUOUS_TARGET")
  const asking = { ideId: `${world.daemons.twice}:session:s1` }
  const stale = { action: "always", promptId: "seen before" } as const
  await refused(key["shortcuts.approve"]({ path: asking, body: stale }), 409, "PROMPT_CHANGED")
}

type EventQuery = Parameters<Calls["events.stream"]>[0]

/** The first event of a stream that is opened while the agent has turns: whichever of a turn's events comes first. */
const eventDuringTurns = async (key: Calls, ideId: string, asked: EventQuery): Promise<string> => {
  let seen: { readonly id?: string | undefined } | undefined
  const first = answered(key["events.stream"](asked)).then((event) => {
    seen = event
  })
  await until("an event", async () => {
    await done(key["shortcuts.send"]({ path: { ideId }, body: { message: "hello" } }))
    await settled(key, ideId, "idle")
    return seen
  })
  await first
  return seen!.id!
}

/** The stream of an account's events: opened before there is one, and again after the first. */
export const stream = async (world: World, key: Calls, anyone: Calls): Promise<void> => {
  await refused(anyone["events.stream"]({}), 401, "AUTH_REQUIRED")
  await refused(anyone["events.listenSecret"]({}), 401, "AUTH_REQUIRED")
  await answered(key["events.listenSecret"]({}))
  const ideId = `${world.daemons.real}:session:${await launch(world, key)}`
  const query = {
    event: ["agent:generating_started", "agent:generating_completed"],
    daemonId: [world.daemons.real],
    selector: "!never"
  }
  const id = await eventDuringTurns(key, ideId, { query })
  await eventDuringTurns(key, ideId, { query, header: { "last-event-id": id } })
  await done(key["shortcuts.stop"]({ path: { daemonId: world.daemons.real }, body: { type: agentType } }))
}
