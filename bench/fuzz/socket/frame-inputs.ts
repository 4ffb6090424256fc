/**
 * Frames of a daemon that know the protocol: each type with its members, changed at some of its places. Owns their
 * making; sends nothing.
 */
import {
  auths,
  events,
  type Members,
  reports,
  results,
  session,
  sessions,
  whatFits
} from "../../../test/support/frame-members.ts"
import { brokenText, mutated } from "../json-mutation.ts"
import type { Random } from "../random.ts"
import { badText, badValue, jsonText } from "../values.ts"

type Data = Readonly<Record<string, unknown>>

/** A message of a daemon: text, or bytes as a binary one. */
export interface FrameInput {
  readonly payload: Buffer
  readonly isBinary: boolean
}

const eventNames = [
  "agent:generating_started",
  "agent:generating_completed",
  "agent:waiting_approval",
  "agent:waiting_choice",
  "agent:stopped",
  "monitor:no_progress",
  "monitor:long_generating",
  "daemon:connect",
  "job:completed"
]
const statuses = ["idle", "generating", "waiting_approval", "waiting_choice", "error", "streaming", "?"]
const logTypes = ["message", "message_delta", "thought_delta", "tool_call", "plan", "status", "gap", "end", "output"]
const otherTypes = ["unknown", "auth_ok", "command", "reconnect", "event_ack", "log_subscribe", "__proto__", ""]
const frameBytesMax = 1_048_576

/** Each member that is there, or not; one that is needed always is. */
const some = (random: Random, members: Members): Data =>
  Object.fromEntries(
    Object.entries(whatFits(members)).filter(([name]) => members[name]![1].includes(null) || random.percent(50))
  )

const member = (random: Random, members: Members): Data => {
  const name = random.of(Object.keys(members))
  return { [name]: random.of(members[name]![1]) }
}

const report = (random: Random): Data => ({
  ...some(random, reports),
  timestamp: random.below(2 ** 31),
  sessions: Array.from({ length: random.below(random.percent(95) ? 5 : 250) }, (_, at) => ({
    ...session,
    ...some(random, sessions),
    id: `s${at}`,
    status: random.of(statuses)
  }))
})

const event = (random: Random): Data => ({
  ...some(random, events),
  id: random.word(8),
  event: random.of(eventNames),
  targetSessionId: random.of(["s1", "s2", "unknown"])
})

const log = (random: Random): Data => {
  const seq = random.below(50)
  const count = random.below(5)
  return {
    log: { kind: random.of(["session", "command"]), id: random.of(["s1", "s2", "cmd_1"]) },
    logId: random.of(["a", "b", null]),
    lastSeq: seq + count,
    events: Array.from({ length: count }, (_, at) => ({
      seq: seq + at,
      type: random.of(logTypes),
      timestamp: 1_790_000_000_000,
      messageId: "m1",
      role: "agent",
      delta: badText(random)
    }))
  }
}

/** The result of a command, often of one that waits. */
const result = (random: Random, waiting: string | undefined): Data => ({
  ...some(random, results),
  id: waiting !== undefined && random.percent(70) ? waiting : random.of(["c1", random.word(10)]),
  success: random.percent(60),
  ...(random.percent(40) && { result: badValue(random) }),
  ...(random.percent(20) && { result: { logId: "a", firstSeq: 1, lastSeq: 3, events: [], more: random.percent(50) } })
})

const made = (random: Random, waiting: string | undefined): readonly [type: string, data: Data] => {
  const kind = random.below(100)
  if (kind < 35) return ["status_report", report(random)]
  if (kind < 60) return ["status_event", event(random)]
  if (kind < 80) return ["command_result", result(random, waiting)]
  if (kind < 92) return ["log_events", log(random)]
  if (kind < 95) return ["auth", some(random, auths)]
  return [random.percent(70) ? random.of(otherTypes) : badText(random), some(random, events)]
}

const membersOf: Readonly<Record<string, Members>> = {
  status_report: reports,
  status_event: events,
  command_result: results,
  auth: auths
}

const changed = (random: Random, type: string, data: Data): Data => {
  const members = Object.hasOwn(membersOf, type) ? membersOf[type] : undefined
  if (members !== undefined && random.percent(25)) return { ...data, ...member(random, members) }
  const other = mutated(random, data, 4)
  // without data that is an object it is no frame
  return typeof other === "object" && other !== null && !Array.isArray(other) ? (other as Data) : { value: other }
}

const text = (value: unknown): Buffer => {
  const payload = Buffer.from(jsonText(value).toWellFormed())
  return payload.length > frameBytesMax ? Buffer.from('{"type":"unknown","data":{}}') : payload
}

/** A frame that keeps its socket open. `waiting`: the id of a command that waits for its result. */
export const frameInput = (random: Random, waiting: string | undefined): FrameInput => {
  const [type, data] = made(random, waiting)
  const said = random.percent(85) ? changed(random, type, data) : data
  return { payload: text({ type, data: said }), isBinary: false }
}

/** The first frame of a socket. */
export const authInput = (random: Random, token: string | undefined): FrameInput => {
  const data = {
    protocol: 1,
    instanceId: random.word(8),
    version: "1.0.0",
    hostname: "fuzz",
    platform: "linux",
    capabilities: ["session_log", "durable_commands", "command_cancel"],
    ...(token === undefined ? {} : { token })
  }
  const said = random.percent(75) ? data : changed(random, "auth", { ...data, ...some(random, auths), protocol: 1 })
  return { payload: text({ type: "auth", data: said }), isBinary: false }
}

/** A message that may close its socket, or must. */
export const closingInput = (random: Random): FrameInput => {
  const [type, data] = made(random, undefined)
  const frame = { type, data }
  const kind = random.below(100)
  if (kind < 45) return { payload: text(mutated(random, frame, 4)), isBinary: false }
  if (kind < 80) {
    const broken = brokenText(random, frame)
    // text that is no UTF-8 is for the raw inputs: the library cuts it off
    return { payload: Buffer.from(broken.toString("utf8")), isBinary: false }
  }
  if (kind < 98) return { payload: random.bytes(random.below(200)), isBinary: true }
  const size = frameBytesMax + random.of([-100, 1, 100_000])
  const large = jsonText({ type, data: { ...data, padding: "x".repeat(size) } })
  return { payload: Buffer.from(large.toWellFormed()), isBinary: false }
}
