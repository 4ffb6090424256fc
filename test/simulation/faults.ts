/**
 * What befalls a simulated hub: nodes killed, stopped and paused, cut from each other or from the store, statements
 * slow, refused or unanswered, clocks that are wrong, a full disk, receivers that fail, daemons that vanish. Owns which
 * of it happens when, and that all of it is mended.
 */
import type { Random } from "./seeded-random.ts"
import type { Integrators } from "./simulated-callers.ts"
import type { SimulatedDaemon } from "./simulated-daemon.ts"
import type { SimulatedNode } from "./simulated-node.ts"
import type { ReceiverFaults } from "./simulated-receiver.ts"
import { noStoreFaults, type StoreState } from "./store/store-access.ts"
import type { VirtualTime } from "./virtual-time.ts"

/** What faults happen to. */
export interface FaultyWorld {
  readonly time: VirtualTime
  readonly random: Random
  readonly nodes: Array<SimulatedNode>
  readonly daemons: ReadonlyArray<SimulatedDaemon>
  readonly receivers: ReceiverFaults
  readonly store: StoreState
  readonly integrators: Integrators
  readonly isHealed: boolean
  readonly startNode: () => void
  readonly trace: (text: string) => void
}

type Fault = (world: FaultyWorld, node: SimulatedNode, random: Random) => void

/** Something that ends by itself. */
const forAWhile =
  (begin: (node: SimulatedNode, world: FaultyWorld, random: Random) => () => void, millisMax: number): Fault =>
  (world, node, random) => {
    const end = begin(node, world, random)
    world.time.after(random.between(50, millisMax), end)
  }

const resetSockets = ({ daemons }: FaultyWorld, node: SimulatedNode): void => {
  for (const { socket } of daemons) if (socket?.node === node.process) socket.reset()
}

/** A node that is killed, or has stopped, is followed by another. */
const kill: Fault = (world, node, random) => {
  node.process.dead = true
  resetSockets(world, node)
  world.time.after(random.between(0, 8_000), world.startNode)
}

const stop: Fault = (world, node, random) => {
  node.stop().addObserver(() => {
    node.process.dead = true
    resetSockets(world, node)
  })
  world.time.after(random.between(0, 8_000), world.startNode)
}

const pause = forAWhile((node, { time }) => {
  time.pause(node.process)
  return () => {
    time.resume(node.process)
    node.bus.gapSoon()
  }
}, 9_000)

const cutBus = forAWhile((node) => {
  node.bus.disconnect()
  return () => node.bus.connect()
}, 12_000)

const loseMessages = forAWhile((node) => {
  node.bus.loss = 0.3
  return () => {
    node.bus.loss = 0
  }
}, 5_000)

const cutStore = forAWhile((node) => {
  node.line.faults.cut = true
  return () => {
    node.line.faults.cut = false
  }
}, 12_000)

const worsen = (faults: Partial<ReturnType<typeof noStoreFaults>>, millisMax: number): Fault =>
  forAWhile((node) => {
    Object.assign(node.line.faults, faults)
    return () => void Object.assign(node.line.faults, { ...noStoreFaults(), cut: node.line.faults.cut })
  }, millisMax)

const turnClock: Fault = (_, node, random) => {
  node.process.ahead = random.between(-4_000, 4_000)
}

const fillDisk = forAWhile((_, { store }) => {
  store.diskFull = true
  return () => {
    store.diskFull = false
  }
}, 6_000)

const failReceivers = forAWhile((_, { receivers }, random) => {
  receivers.failing = random.pick([0.2, 0.6, 1])
  receivers.silent = random.pick([0, 0.1])
  return () => Object.assign(receivers, { failing: 0, silent: 0 })
}, 20_000)

const disturbDaemons: Fault = ({ daemons }, _, random) => {
  const share = random.pick([0.1, 0.5])
  for (const daemon of daemons) {
    if (!random.chance(share)) continue
    const how = random.below(4)
    if (how === 3) daemon.abandon()
    else daemon.leave((["clean", "reset", "silent"] as const)[how]!)
  }
}

const revoke: Fault = ({ daemons, integrators }, _, random) => {
  const daemon = random.pick(daemons)
  if (!daemon.revoked) integrators.revoke(daemon)
}

/** Each with its weight. */
const faults: ReadonlyArray<readonly [name: string, weight: number, fault: Fault]> = [
  ["kill", 3, kill],
  ["stop", 2, stop],
  ["pause", 3, pause],
  ["cut bus", 3, cutBus],
  ["lose messages", 3, loseMessages],
  ["cut store", 2, cutStore],
  ["lose answers", 4, worsen({ lost: 0.3 }, 4_000)],
  ["refuse statements", 3, worsen({ refused: 0.3 }, 4_000)],
  ["slow statements", 3, worsen({ slow: 0.3, slowMillis: 2_000 }, 8_000)],
  ["clock", 2, turnClock],
  ["full disk", 2, fillDisk],
  ["receivers", 3, failReceivers],
  ["daemons", 6, disturbDaemons],
  ["revoke", 1, revoke]
]
const weights = faults.reduce((sum, [, weight]) => sum + weight, 0)

const drawn = (random: Random) => {
  let at = random.below(weights)
  return faults.find(([, weight]) => {
    at -= weight
    return at < 0
  })!
}

/** One fault, now. */
const strike = (world: FaultyWorld, random: Random): void => {
  const up = world.nodes.filter(({ isUp, process }) => isUp && !process.paused)
  const [name, , fault] = drawn(random)
  // the daemons need a node to go to
  if (up.length < 2 && (name === "kill" || name === "stop")) return
  if (up.length === 0) return
  const node = random.pick(up)
  world.trace(`fault: ${name} at ${node.process.name}`)
  fault(world, node, random)
}

/** Has so many faults happen at random times within this time. */
export const planFaults = (world: FaultyWorld, count: number, withinMillis: number): void => {
  const random = world.random.fork()
  for (let made = 0; made < count; made++) {
    world.time.after(random.between(500, withinMillis), () => {
      if (!world.isHealed) strike(world, random)
    })
  }
}

/** Mends all of it. */
export const mend = ({ nodes, receivers, store, time }: FaultyWorld): void => {
  Object.assign(receivers, { failing: 0, silent: 0 })
  store.diskFull = false
  for (const node of nodes) {
    if (node.process.dead) continue
    Object.assign(node.line.faults, noStoreFaults())
    node.bus.loss = 0
    node.bus.connect()
    if (!node.process.paused) continue
    time.resume(node.process)
    node.bus.gapSoon()
  }
}
