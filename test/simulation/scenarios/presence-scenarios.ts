/**
 * Acts about the time online of daemons: goodbyes, lost connections, and statements of presence that fail. Owns them.
 */
import { type Act, type Cast, notAt, type Stage, stillOnline, within } from "./scenario.ts"

/** A grace, the moment until it is written, and what a fault before it may take. */
const graceMillis = 15_000
const soonMillis = 1_500
const strayMillis = graceMillis + 3_000

/** A daemon that says goodbye is offline at once. */
export const goodbye: Act = (stage, { daemon }) => {
  daemon.switchOff("clean")
  within(stage, soonMillis, () => stillOnline(stage, daemon))
  daemon.switchOn()
}

/** One that is lost, comes back and is lost again within the first grace has a whole one. */
export const relapse: Act = (stage, { daemon, home }) => {
  const { random } = stage
  daemon.switchOff("reset")
  stage.pass(random.between(2_000, 7_000))
  daemon.switchOn(home)
  within(stage, soonMillis, () => notAt(daemon, home))
  stage.pass(random.between(1_000, 3_000))
  daemon.switchOff("reset")
  within(stage, graceMillis + soonMillis, () => stillOnline(stage, daemon))
  daemon.switchOn()
}

/** It gives its connection up, and its next one to the same node is the one that counts, whatever the first does. */
export const lateClose: Act = (stage, { daemon, home }) => {
  const { daemonId } = daemon
  const before = stage.monitor.ends.get(daemonId)
  daemon.leave("silent")
  daemon.abandon(home)
  within(stage, soonMillis, () => notAt(daemon, home))
  stage.pass(1_000)
  within(stage, 0, () => notAt(daemon, home))
  if (stage.monitor.ends.get(daemonId) !== before) stage.monitor.fail(`the time online of ${daemonId} ended meanwhile`)
}

/** How long a socket that was given up stays open at its node at least: longer than the act. */
const unnoticedMillis = 30_000
/** So long a daemon dials at most, and a claim takes here. */
const [dialledMillis, claimedMillis] = [220, 10_000]

/** It dials its node again and again while the store takes long to say which connection counts: it is the last. */
export const redial: Act = (stage, { daemon, home }) => {
  Object.assign(home.line.faults, { slow: 1, slowMillis: 2_000, only: "claim daemons" })
  for (let dials = 0; dials < 3; dials++) {
    daemon.abandon(home, unnoticedMillis)
    stage.pass(dialledMillis)
  }
  Object.assign(home.line.faults, { slow: 0, slowMillis: 0, only: undefined })
  const { socket } = daemon
  within(stage, claimedMillis, () =>
    daemon.socket === socket ? notAt(daemon, home) : [`the newest connection of ${daemon.daemonId} is sent away`]
  )
}

/** The answer to its claim is lost, and it never comes back. */
export const lostClaim: Act = (stage, { daemon, home }) => {
  daemon.switchOff("clean")
  within(stage, soonMillis, () => stillOnline(stage, daemon))
  const { faults } = home.line
  Object.assign(faults, { lost: 1, only: "claim daemons", once: true })
  daemon.switchOn(home)
  within(stage, 3_000, () => (faults.only === undefined ? [] : [`${daemon.daemonId} is not claimed`]))
  daemon.switchOff("reset")
  within(stage, strayMillis, () => stillOnline(stage, daemon))
  daemon.switchOn()
}

const refuseEnds = ({ home }: Cast): void => {
  Object.assign(home.line.faults, { refused: 1, only: "release daemons", once: true })
}

/** The end of its time online is refused at first, and it stays away. */
export const refusedEnd: Act = (stage, part) => {
  refuseEnds(part)
  part.daemon.switchOff("clean")
  within(stage, 2 * soonMillis, () => stillOnline(stage, part.daemon))
  part.daemon.switchOn()
}

/** The end of its time online is refused at first, and it is back before that is written: it ended all the same. */
export const overtakenEnd: Act = (stage, part) => {
  const { daemon, home } = part
  const { ends } = stage.monitor
  const before = ends.get(daemon.daemonId) ?? 0
  const isOver = (): ReadonlyArray<string> =>
    (ends.get(daemon.daemonId) ?? 0) > before ? [] : [`the time online of ${daemon.daemonId} goes on after a goodbye`]
  refuseEnds(part)
  daemon.switchOff("clean")
  stage.pass(stage.random.between(10, 60))
  daemon.switchOn(home)
  within(stage, 2 * soonMillis, isOver)
}

/** Its node dies, and it never comes back. */
export const death: Act = (stage, { home, daemon }) => {
  const { random, time, startNode } = stage
  const gone = [daemon, ...stage.daemons.filter((one) => one.isConnectedTo(home.process.name) && random.chance(0.3))]
  for (const one of gone) one.switchOff("silent")
  kill(stage, home)
  time.after(random.between(0, 8_000), startNode)
  within(stage, takenOverMillis, () => gone.flatMap((one) => stillOnline(stage, one)))
  for (const one of gone) one.switchOn()
}

/** Its lease, the heartbeats until another node sees that, and the grace that begins there. */
const takenOverMillis = 5_000 + 2_500 + graceMillis

const kill = ({ daemons }: Stage, { process }: Cast["home"]): void => {
  process.dead = true
  for (const { socket } of daemons) if (socket?.node === process) socket.reset()
}
