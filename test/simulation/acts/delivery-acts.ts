/** Acts about deliveries: slow reads, leases whose answer is lost, receivers that fail for long. Owns them. */
import { type Act, cast, type Stage, within } from "./stage.ts"

/** Subscribers that have nothing to do leave after this. */
const idleMillis = 11_500

const pendingIn = ({ tables }: Stage): ReadonlyArray<string> =>
  [...tables.deliveries.values()].flatMap(({ id, event, state }) =>
    state === "pending" ? [`${event} ${id} is pending`] : []
  )

const upOf = ({ nodes }: Stage) => nodes.filter(({ isUp }) => isUp)

/** What is due is read slowly, and meanwhile sent and recorded: each delivery arrives once. */
export const slowReads: Act = (stage) => {
  const { random, monitor, daemons } = stage
  const present = daemons.filter(({ accepted }) => accepted)
  if (present.length === 0) return
  for (const { line } of upOf(stage)) {
    Object.assign(line.faults, { slow: 1, slowMillis: 1_500, only: "read due deliveries" })
  }
  monitor.sendsOnce = true
  for (let reports = 0; reports < 40; reports++) {
    random.pick(present).report()
    stage.pass(random.between(20, 200))
  }
  for (const { line } of upOf(stage)) Object.assign(line.faults, { slow: 0, slowMillis: 0, only: undefined })
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
