/**
 * What must hold after the soak. Owns the rules, and the waiting for what only takes time; says what is wrong in words,
 * and asserts nothing.
 */
import { descriptorsOf, residentMegabytes } from "../../../support/process-facts.ts"
import { longPatienceMillis, until } from "../../../support/until.ts"
import { faults } from "./faults.ts"
import { eventsPath, type SoakWorld } from "./fixture.ts"
import type { Answer, Traffic } from "./traffic.ts"

/** Whether it comes true, however busy the machine is. */
const becomes = (what: string, probe: () => boolean | Promise<boolean>): Promise<boolean> =>
  until(what, probe, longPatienceMillis).then(
    () => true,
    () => false
  )

/** What a node has open, and its memory, which is told and not judged. */
export interface NodeUse {
  readonly descriptors: number
  readonly megabytes: number
}

/** Each node's. */
export const usesOf = ({ hub }: SoakWorld): ReadonlyArray<NodeUse> =>
  hub.nodes.map((node) => ({ descriptors: descriptorsOf(node.pid()), megabytes: residentMegabytes(node.pid()) }))

/** An answer as it is counted. */
export const nameOf = ({ status, reason }: Answer): string => (status === 0 ? "none" : `${status} ${reason}`.trim())

const documented = new Set([
  "none",
  "200",
  "202",
  "409 IDEMPOTENCY_CONFLICT",
  "500 DAEMON_OFFLINE",
  "500 INTERNAL",
  "503 DAEMON_SOCKET_LOST",
  "503 OVERLOADED",
  "503 INTERNAL",
  "504 COMMAND_TIMEOUT"
])
const ofStore = new Set(faults.filter((one) => one.ofStore).map(({ name }) => name))

const wrongAnswers = ({ answers }: Traffic): ReadonlyArray<string> =>
  answers.flatMap((answer) => {
    const name = nameOf(answer)
    if (!documented.has(name)) return [`an answer was ${name} (${answer.during.join(" to ")})`]
    const isFault = name === "500 INTERNAL" || name === "503 INTERNAL"
    if (isFault && !answer.isReplayed && !answer.during.some((one) => ofStore.has(one)))
      return [`node ${answer.node} answered ${name} though the store was there (${answer.during.join(" to ")})`]
    return []
  })

const wrongEvents = async ({ hub }: SoakWorld, { events }: Traffic): Promise<ReadonlyArray<string>> => {
  const deliveries = (): ReadonlyMap<string, ReadonlySet<string>> => {
    const all = new Map<string, Set<string>>()
    for (const { headers, body } of hub.receiver.at(eventsPath)) {
      if (body.event !== "agent:stopped") continue
      const ids = all.get(body.payload.targetSessionId) ?? new Set()
      all.set(body.payload.targetSessionId, ids.add(String(headers["x-service-delivery"])))
    }
    return all
  }
  const missing = (): ReadonlyArray<string> => {
    const arrived = deliveries()
    return events.filter((one) => !arrived.has(one))
  }
  await becomes("every event has arrived", () => missing().length === 0)
  const twice = [...deliveries()].filter(([, ids]) => ids.size > 1)
  return [
    ...missing().map((one) => `the event ${one} was acknowledged and never delivered`),
    ...twice.map(([one, ids]) => `the event ${one} was delivered under ${ids.size} ids`)
  ]
}

const wrongCommands = async ({ hub, keepers }: SoakWorld, { orders }: Traffic): Promise<ReadonlyArray<string>> => {
  const read = async (path: string) => (await hub.ask(0, "GET", `/api/v1/commands${path}`, { bearer: hub.key })).body
  const wrong: Array<string> = []
  const isNonePending = async () => (await read("?state=pending&limit=1")).commands.length === 0
  if (!(await becomes("none is pending", isNonePending))) wrong.push("kept commands are without an outcome")
  const came = new Map<string, Array<string>>()
  for (const { sent, payloads } of keepers) {
    for (const [id, times] of sent) {
      if (times > 1) wrong.push(`the command ${id} came ${times} times`)
      const { mark } = payloads.get(id) as { readonly mark: string }
      came.set(mark, [...(came.get(mark) ?? []), id])
    }
  }
  for (const [mark, ids] of came) if (ids.length > 1) wrong.push(`${mark} was run as ${ids.join(" and ")}`)
  for (const { mark, isKept, commandId } of orders) {
    if (commandId === undefined) continue
    const ran = came.get(mark)
    if (ran !== undefined && ran[0] !== commandId) wrong.push(`${commandId} was answered, ${ran[0]} ran`)
    if (!isKept && ran === undefined) wrong.push(`${commandId} was answered and never ran`)
    if (!isKept) continue
    const { state } = await read(`/${commandId}`)
    // what was written to a connection that broke has not come: the daemon does not have it
    const right = ran === undefined ? "lost" : "succeeded"
    if (state !== right) wrong.push(`${commandId} ${ran === undefined ? "never ran" : "ran"} and is ${state}`)
  }
  return wrong
}

/** Each daemon leaves; then each time online was told once and ended once, in the store and at the receiver. */
const wrongPresence = async (world: SoakWorld): Promise<ReadonlyArray<string>> => {
  const { hub, senders, keepers } = world
  for (const one of senders) one.leave()
  for (const one of keepers) one.stop()
  const wrong: Array<string> = []
  for (const { daemonId } of [...senders, ...keepers]) {
    const words = () => world.committed(daemonId)
    const isTold = async () => {
      const [committed, told] = [await words(), hub.told({ daemonId })]
      return committed.at(-1) === "disconnect" && told.length === committed.length
    }
    if (!(await becomes("its end is told", isTold))) wrong.push(`the end of ${daemonId} is not told`)
    const committed = await words()
    const alternates = committed.every((word, at) => word === (at % 2 === 0 ? "connect" : "disconnect"))
    if (!alternates) wrong.push(`of ${daemonId} was committed: ${committed.join(" ")}`)
    const count = (all: ReadonlyArray<string>): number => all.filter((word) => word === "connect").length
    if (count(hub.told({ daemonId })) !== count(committed)) wrong.push(`${daemonId} was told otherwise than committed`)
  }
  return wrong
}

const fault = /an unexpected failure|unhandled|defect|crashed|TypeError|ReferenceError|RangeError/iu

const wrongLogs = (world: SoakWorld): ReadonlyArray<string> =>
  world.hub.nodes.flatMap((_, node) =>
    world
      .log(node)
      .split("\n")
      .filter((line) => fault.test(line))
      .map((line) => `node ${node} logged: ${line}`)
  )

/** As many descriptors as a node may have beyond what it had. */
const descriptorsMore = 32

const wrongUses = async (world: SoakWorld, before: ReadonlyArray<NodeUse>): Promise<ReadonlyArray<string>> => {
  const open = Math.max(...before.map(({ descriptors }) => descriptors)) + descriptorsMore
  await becomes("descriptors are closed", () => usesOf(world).every(({ descriptors }) => descriptors <= open))
  return usesOf(world).flatMap(({ descriptors }, node) =>
    descriptors > open ? [`node ${node} has ${descriptors} descriptors open`] : []
  )
}

/** All that is wrong, once the last fault is over, everything is healthy and the traffic has ended. */
export const wrongsOf = async (
  world: SoakWorld,
  traffic: Traffic,
  before: ReadonlyArray<NodeUse>
): Promise<ReadonlyArray<string>> => {
  const wrong: Array<string> = []
  for (const one of world.keepers) one.finish()
  const isAllTaken = () => world.senders.every((one) => one.waiting() === 0)
  if (!(await becomes("every event is acknowledged", isAllTaken))) wrong.push("events are not acknowledged")
  const isAllKept = () => world.keepers.every((one) => one.unacknowledged() === 0)
  if (!(await becomes("every result is acknowledged", isAllKept))) wrong.push("results are not acknowledged")
  wrong.push(...(await wrongUses(world, before)))
  wrong.push(...wrongAnswers(traffic))
  wrong.push(...(await wrongEvents(world, traffic)))
  wrong.push(...(await wrongCommands(world, traffic)))
  wrong.push(...(await wrongPresence(world)))
  wrong.push(...wrongLogs(world))
  return wrong
}
