/**
 * Acts about commands: their daemons leave, their deadline passes, they are cancelled, asked for by others. Owns them.
 */
import { noStoreFaults } from "../store/store-access.ts"
import { type Act, type Cast, notAt, presentAt, type Stage, within } from "./scenario.ts"

const pendingOf = ({ tables }: Stage, daemonId: string): ReadonlyArray<string> =>
  [...tables.commands.values()].flatMap((one) =>
    one.daemonId === daemonId && one.state === "pending" ? [`the command ${one.commandId} is pending`] : []
  )

/** A connection is lost while calls wait for its daemon: they are told. */
export const lostCalls: Act = (stage, { daemon }) => {
  const { integrators, random, nodes } = stage
  daemon.commands.mute = true
  const before = new Set(integrators.underWay)
  for (const node of nodes) if (node.isUp) integrators.command(node, daemon)
  stage.pass(random.between(200, 1_000))
  daemon.leave("reset")
  within(stage, 2_000, () =>
    [...integrators.underWay].flatMap((call) => (before.has(call) ? [] : [`${call.what} to ${daemon.daemonId} waits`]))
  )
  daemon.commands.finish()
}

/** A command's deadline, the grace for its result, and the look for those that are past both. */
const overdueMillis = 3_000 + 15_000 + 15_000 + 2_000

/** A daemon leaves with a command, and its deadline passes. */
export const overdue: Act = (stage, { daemon, home, others }) => {
  const { integrators, random } = stage
  daemon.commands.mute = true
  integrators.start(random.pick([home, ...others]), daemon, 3_000)
  stage.pass(500)
  daemon.switchOff("reset")
  within(stage, overdueMillis, () => pendingOf(stage, daemon.daemonId))
  daemon.switchOn()
  daemon.commands.finish()
}

/** Starts one that goes on until it is ended. Undefined: it was not started. */
const startEndless = (stage: Stage, { daemon, home, others }: Cast) => {
  const { integrators, random } = stage
  const count = integrators.started.length
  daemon.commands.mute = true
  integrators.start(random.pick([home, ...others]), daemon)
  stage.pass(500)
  return integrators.started.length > count ? integrators.started.at(-1) : undefined
}

/** A command is cancelled through another node. */
export const cancel: Act = (stage, part) => {
  const started = startEndless(stage, part)
  if (started !== undefined) {
    stage.integrators.cancel(stage.random.pick(part.others), started)
    within(stage, 2_000, () => pendingOf(stage, part.daemon.daemonId))
  }
  part.daemon.commands.finish()
}

/** How long a socket that was given up stays open at its node at least, and a claim takes at most on either way. */
const [unnoticedMillis, claimMillis] = [30_000, 3_000]
/** A daemon dials, and its token is looked up. */
const authMillis = 300

/**
 * Its node claims a connection only when the daemon has given it up for another node's, and has a command from there
 * that the `auth` of the first could not name: it is not lost.
 */
export const staleClaim: Act = (stage, part) => {
  const { daemon, home, others } = part
  const there = stage.random.pick(others)
  Object.assign(home.line.faults, { slow: 1, slowMillis: claimMillis, only: "claim daemons" })
  daemon.abandon(home, unnoticedMillis)
  stage.pass(authMillis)
  daemon.abandon(there, unnoticedMillis)
  stage.pass(authMillis)
  startEndless(stage, { ...part, home: there, others: [there] })
  Object.assign(home.line.faults, noStoreFaults())
  stage.pass(2 * claimMillis)
  daemon.commands.finish()
}

/** The look for cancelled commands whose daemons may not have been told. */
const toldAgainMillis = 15_000 + 2_000

/** Its node does not hear that a command is cancelled. */
export const missedCancel: Act = (stage, part) => {
  const { home, others, daemon } = part
  const started = startEndless(stage, part)
  if (started !== undefined) {
    home.bus.loss = 1
    stage.integrators.cancel(stage.random.pick(others), started)
    stage.pass(200)
    home.bus.loss = 0
    within(stage, toldAgainMillis, () => pendingOf(stage, daemon.daemonId))
  }
  daemon.commands.finish()
}

/** Another account asks for daemons while the store does not say whose they are. */
export const strangers: Act = (stage, { home, others }) => {
  const { integrators, random } = stage
  const through = random.pick(others)
  through.line.faults.cut = true
  for (const daemon of presentAt(stage, home).slice(0, 8)) {
    for (let tries = 0; tries < 3; tries++) integrators.trespass(through, daemon, 0)
  }
  stage.pass(500)
  through.line.faults.cut = false
  stage.pass(500)
}

const rounds = 6
const callsPerRound = 10

/** Calls to daemons of other nodes, a few at a time, and in all more than may be under way: none of them is refused. */
export const steadyCalls: Act = (stage, { others }) => {
  const { integrators, random, monitor } = stage
  const through = random.pick(others)
  const elsewhere = stage.nodes
    .filter((node) => node.isUp && node !== through)
    .flatMap((node) => presentAt(stage, node))
  const refused = (): number => monitor.counts["command Overloaded"] ?? 0
  const before = refused()
  for (let round = 0; round < rounds; round++) {
    for (let calls = 0; calls < callsPerRound; calls++) integrators.command(through, random.pick(elsewhere))
    stage.pass(500)
  }
  if (refused() > before) monitor.fail(`${through.process.name} refuses calls as too many, and few are under way`)
}

const crowdMax = 20

/** Many daemons dial one node at once, and have commands through another at once. */
export const crowd: Act = (stage, { others }) => {
  const { integrators, random } = stage
  const there = random.pick(others)
  const all = stage.nodes.filter(({ isUp }) => isUp).flatMap((node) => presentAt(stage, node))
  const some = all.slice(0, crowdMax)
  for (const daemon of some) daemon.switchOff("reset")
  stage.pass(100)
  for (const daemon of some) daemon.switchOn(there)
  within(stage, 2_000, () => some.flatMap((daemon) => notAt(daemon, there)))
  const through = random.pick(stage.nodes.filter((node) => node.isUp && node !== there))
  for (const daemon of some) integrators.command(through, daemon)
  stage.pass(500)
}
