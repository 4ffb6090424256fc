/** Acts about nodes that do not hear each other, or not the store, while daemons move. Owns them. */
import { type Act, notAt, presentAt, type Stage, stillHeld, within } from "./scenario.ts"

/** A node learns within a second that it missed messages, and looks once a second. */
const checkedMillis = 3_000
/** How long a socket that was given up stays open at its node at least: longer than any of these acts. */
const unnoticedMillis = 30_000
/** A lease, and the heartbeat after which another node has taken over. */
const takenOverMillis = 7_500

/** A daemon moves while its node does not hear the others. */
export const missedMove: Act = (stage, { daemon, home, others }) => {
  const { random } = stage
  const there = random.pick(others)
  home.bus.disconnect()
  daemon.abandon(there, unnoticedMillis)
  within(stage, 1_500, () => notAt(daemon, there))
  stage.pass(random.between(0, 2_000))
  home.bus.connect()
  within(stage, checkedMillis, () => stillHeld(daemon, home))
}

/** It is revoked while its node does not hear the others. */
export const missedRevocation: Act = (stage, { daemon, home, others }) => {
  const { random, integrators } = stage
  home.bus.disconnect()
  stage.pass(random.between(0, 1_500))
  integrators.revoke(daemon, random.pick(others))
  stage.pass(random.between(500, 1_500))
  home.bus.connect()
  within(stage, checkedMillis, () => stillHeld(daemon, home))
  // with its token it is sent away
  daemon.switchOff("clean")
  daemon.switchOn()
}

/** It goes to another node and comes back before its node hears of the first move. */
export const bounce: Act = (stage, { daemon, home, others }) => {
  const { random } = stage
  const there = random.pick(others)
  home.bus.lagMillis = random.between(800, 1_500)
  daemon.abandon(there, unnoticedMillis)
  within(stage, 1_000, () => notAt(daemon, there))
  daemon.abandon(home, unnoticedMillis)
  stage.pass(2_500)
  home.bus.lagMillis = 0
  within(stage, 0, () => notAt(daemon, home))
}

/** The store is away from its node for longer than a lease; some of its daemons go to another node meanwhile. */
export const lapse: Act = (stage, { daemon, home, others }) => {
  const { random } = stage
  const leaving = [daemon, ...presentAt(stage, home).filter((one) => one !== daemon && random.chance(0.3))]
  const there = random.pick(others)
  home.line.faults.cut = true
  stage.pass(takenOverMillis)
  for (const one of leaving) one.abandon(there, unnoticedMillis)
  within(stage, 1_500, () => leaving.flatMap((one) => notAt(one, there)))
  home.line.faults.cut = false
  within(stage, checkedMillis, () => [...leaving.flatMap((one) => stillHeld(one, home)), ...heldTwice(stage)])
}

/** The node that took its daemon over does not hear that the first is back, and finds it out later. */
export const missedReturn: Act = (stage, { daemon, home, others }) => {
  home.line.faults.cut = true
  stage.pass(takenOverMillis)
  const heirs = others.filter((node) => stillHeld(daemon, node).length > 0)
  for (const heir of heirs) heir.bus.disconnect()
  home.line.faults.cut = false
  stage.pass(checkedMillis)
  for (const heir of heirs) heir.bus.connect()
  within(stage, checkedMillis, () => heirs.flatMap((heir) => stillHeld(daemon, heir)))
  within(stage, 0, () => notAt(daemon, home))
}

const heldTwice = ({ nodes, daemons }: Stage): ReadonlyArray<string> =>
  nodes
    .filter(({ isUp }) => isUp)
    .flatMap((home) =>
      daemons
        .filter((daemon) => !daemon.revoked && !daemon.off && daemon.isConnectedTo(home.process.name))
        .flatMap((daemon) => nodes.flatMap((node) => (node === home ? [] : stillHeld(daemon, node))))
    )
