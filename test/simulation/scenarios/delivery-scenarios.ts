/** Acts about deliveries: slow reads, leases whose answer is lost, receivers that fail for long. Owns them. */
import { Subscribers } from "../../../actors/webhooks/service.ts"
import type { SimulatedDaemon } from "../simulated-daemon.ts"
import type { SimulatedNode } from "../simulated-node.ts"
import { type Act, notAt, presentAt, type Stage, within } from "./scenario.ts"

/** Subscribers that have nothing to do leave after this. */
const idleMillis = 11_500

const pendingIn = ({ tables }: Stage): ReadonlyArray<string> =>
  [...tables.deliveries.values()].flatMap(({ id, event, state }) =>
    state === "pending" ? [`${event} ${id} is pending`] : []
  )

const upOf = ({ nodes }: Stage) => nodes.filter(({ isUp }) => isUp)

/** The webhook that has all of what the agents of an account do, and the node that sends it. */
const senderFor = (stage: Stage, accountId: string) => {
  const { webhooks, leases } = stage.tables
  const webhook = [...webhooks.values()].find((one) => one.accountId === accountId && one.events.includes("*"))
  const holder = upOf(stage).find(({ process }) => process.name === leases.get(webhook?.id ?? "")?.node)
  return webhook === undefined || holder === undefined ? undefined : { webhookId: webhook.id, holder }
}

/** What is due is read slowly, and meanwhile sent and recorded: each delivery arrives once. */
export const slowReads: Act = (stage, { daemon }) => {
  const { monitor } = stage
  daemon.report()
  stage.pass(500)
  const sender = senderFor(stage, daemon.accountId)
  if (sender === undefined) return
  const { holder, webhookId } = sender
  // what its own node commits is sent at once
  if (!daemon.isConnectedTo(holder.process.name)) daemon.abandon(holder)
  within(stage, 1_500, () => notAt(daemon, holder))
  Object.assign(holder.line.faults, { slow: 1, slowMillis: 1_500, only: "read due deliveries" })
  monitor.sendsOnce = true
  for (let looks = 0; looks < 2; looks++) {
    holder.get(Subscribers).look(webhookId)
    for (let reports = 0; reports < 40; reports++) {
      daemon.report()
      stage.pass(40)
    }
    stage.pass(1_500)
  }
  Object.assign(holder.line.faults, { slow: 0, slowMillis: 0, only: undefined })
  within(stage, 8_000, () => pendingIn(stage))
  monitor.sendsOnce = false
}

/** The answer is lost by which a node learns that it has a webhook's lease, and nothing more happens. */
export const lostLease: Act = (stage, { daemon }) => {
  stage.pass(idleMillis)
  for (const { line } of upOf(stage)) Object.assign(line.faults, { lost: 1, only: "take leases", once: true })
  daemon.report()
  stage.pass(400)
  for (const { line } of upOf(stage)) Object.assign(line.faults, { lost: 0, only: undefined, once: false })
  within(stage, 5_000, () => pendingIn(stage))
}

/** A daemon whose events another node commits than the one that sends them. */
const elsewhere = (stage: Stage, daemon: SimulatedDaemon, holder: SimulatedNode) => {
  const there = stage.random.pick(upOf(stage).filter((node) => node !== holder))
  const other = upOf(stage)
    .flatMap((node) => presentAt(stage, node))
    .find((one) => one !== daemon && one.accountId === daemon.accountId)
  if (other === undefined) return undefined
  if (!other.isConnectedTo(there.process.name)) other.abandon(there)
  within(stage, 1_500, () => notAt(other, there))
  return { other, there }
}

/** How often a subscriber that is never without work looks for what it was not told of, and then sends it. */
const lookedMillis = 30_000 + 3_000
/** Until a failing webhook is probed, and what waits for it is sent. */
const probedMillis = 60_000 + 1_000

/** A webhook is never without work, and its node does not hear that another has committed something for it. */
export const missedDue: Act = (stage, { daemon }) => {
  daemon.report()
  stage.pass(500)
  // receivers that failed before have their webhook probed once a minute only
  within(stage, probedMillis, () => pendingIn(stage))
  const holder = senderFor(stage, daemon.accountId)?.holder
  const committing = holder && elsewhere(stage, daemon, holder)
  if (committing === undefined) return
  if (!daemon.isConnectedTo(holder!.process.name)) daemon.abandon(holder)
  within(stage, 1_500, () => notAt(daemon, holder!))
  const { other, there } = committing
  Object.assign(there.line.faults, { lost: 1, only: "take leases", once: true })
  other.report()
  stage.pass(400)
  Object.assign(there.line.faults, { lost: 0, only: undefined, once: false })
  within(stage, 1_000, () => pendingIn(stage))
  holder!.bus.loss = 1
  other.report()
  stage.pass(200)
  holder!.bus.loss = 0
  const missed = pendingIn(stage)
  for (let millis = 0; millis < lookedMillis; millis += 3_000) {
    daemon.report()
    stage.pass(3_000)
  }
  within(stage, 0, () => pendingIn(stage).filter((one) => missed.includes(one)))
}

/** All attempts of a delivery, with the longest pauses between them. */
const attemptsMillis = 15_000 * 1.2 + 1_000

/** Receivers fail until deliveries are given up, after as many attempts as there are. */
export const failingReceivers: Act = (stage, { daemon }) => {
  stage.receivers.failing = 1
  daemon.report()
  stage.pass(attemptsMillis)
  stage.receivers.failing = 0
}
