/** Acts about deliveries: slow reads, leases whose answer is lost, receivers that fail for long. Owns them. */
import { Subscribers } from "../../../actors/webhooks/service.ts"
import { type Act, cast, notAt, type Stage, within } from "./stage.ts"

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
export const slowReads: Act = (stage) => {
  const part = cast(stage)
  if (part === undefined) return
  const { monitor } = stage
  const { daemon } = part
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
export const lostLease: Act = (stage) => {
  const part = cast(stage)
  if (part === undefined) return
  stage.pass(idleMillis)
  for (const { line } of upOf(stage)) Object.assign(line.faults, { lost: 1, only: "take leases", once: true })
  part.daemon.report()
  stage.pass(400)
  for (const { line } of upOf(stage)) Object.assign(line.faults, { lost: 0, only: undefined, once: false })
  within(stage, 5_000, () => pendingIn(stage))
}

/** All attempts of a delivery, with the longest pauses between them. */
const attemptsMillis = 15_000 * 1.2 + 1_000

/** Receivers fail until deliveries are given up, after as many attempts as there are. */
export const failingReceivers: Act = (stage) => {
  const part = cast(stage)
  if (part === undefined) return
  stage.receivers.failing = 1
  part.daemon.report()
  stage.pass(attemptsMillis)
  stage.receivers.failing = 0
}
