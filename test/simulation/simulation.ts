/**
 * A whole hub under one seed: nodes, bus, store, daemons, receivers, callers and faults, in one process under virtual
 * time. Owns its making and its course: a time in which anything happens, a time in which all of it is mended, focused
 * acts in the hub that has settled, and an end in which everyone leaves. end-invariants.ts judges what must hold then,
 * step-invariants.ts what must hold at each step.
 */
import { hash } from "node:crypto"
import { hashCredential } from "../../src/auth/api-key.ts"
import { daemonTokens } from "../../src/auth/checksummed-token.ts"
import { newId } from "../../src/domain/ids.ts"
import { SimulatedBus } from "./bus.ts"
import { emptyWrongs, settledWrongs } from "./end-invariants.ts"
import { mend, planFaults } from "./faults.ts"
import { acts, actsOf } from "./scenarios/all-scenarios.ts"
import { cast, type Stage } from "./scenarios/scenario.ts"
import { Random, seedCrypto } from "./seeded-random.ts"
import { Integrators } from "./simulated-callers.ts"
import { SimulatedDaemon } from "./simulated-daemon.ts"
import { SimulatedNode } from "./simulated-node.ts"
import { outboundOf } from "./simulated-receiver.ts"
import { Monitor } from "./step-invariants.ts"
import { StoreLine } from "./store/store-access.ts"
import { Tables } from "./store/tables.ts"
import { VirtualTime } from "./virtual-time.ts"

/** What a run came to. */
export interface Verdict {
  readonly seed: number
  readonly violations: ReadonlyArray<string>
  /** Of everything that was written and of every fault, in order. */
  readonly digest: string
  readonly counts: Readonly<Record<string, number>>
  readonly steps: number
  /** The course, where it was asked for. */
  readonly course: ReadonlyArray<string>
}

const nodesAtStart = 3
/** A seed takes 6,000 steps, and the longest 60,000. */
const stepsMax = 600_000
const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`

export class World implements Stage {
  readonly random: Random
  readonly time: VirtualTime
  readonly tables: Tables
  readonly monitor: Monitor
  readonly bus: SimulatedBus
  readonly store = { diskFull: false }
  readonly receivers = { failing: 0, silent: 0 }
  readonly nodes: Array<SimulatedNode> = []
  readonly daemons: ReadonlyArray<SimulatedDaemon>
  readonly accounts: ReadonlyArray<string>
  readonly integrators: Integrators
  readonly course: Array<string> = []
  isHealed = false
  digest = ""
  private readonly keepsCourse: boolean
  private unhashed: Array<string> = []

  constructor(seed: number, random: Random, calm: boolean, keepsCourse: boolean) {
    this.random = random
    this.keepsCourse = keepsCourse
    this.time = new VirtualTime(random.fork())
    this.tables = new Tables(() => Math.floor(this.time.now) + (seed % 3) * 300)
    this.monitor = new Monitor(this.tables, calm)
    this.bus = new SimulatedBus(this.time, random)
    this.accounts = Array.from({ length: random.pick([2, 3]) }, () => this.makeAccount())
    // few daemons show the races of one, many the batches
    const count = random.pick([3, 6, 12, 50])
    this.daemons = Array.from({ length: count }, (_, nth) => this.makeDaemon(nth))
    const daemons = new Map(this.daemons.map((daemon) => [daemon.daemonId, daemon]))
    this.monitor.isConnected = (daemonId, node) => daemons.get(daemonId)?.isConnectedTo(node) === true
    this.monitor.keeps = (daemonId, commandId) => daemons.get(daemonId)?.kept.has(commandId) === true
    this.monitor.lostFor = (daemonId, node) => daemons.get(daemonId)?.lostFor(node)
    this.integrators = new Integrators(this)
    for (let made = 0; made < nodesAtStart; made++) this.startNode()
  }

  readonly trace = (text: string): void => {
    const line = `${Math.round(this.time.now * 1_000)} ${text}`
    if (this.keepsCourse) this.course.push(line)
    if (this.unhashed.push(line) < 1_000) return
    this.closeDigest()
  }

  closeDigest(): void {
    this.digest = hash("sha256", `${this.digest}\n${this.unhashed.join("\n")}`)
    this.unhashed = []
  }

  readonly epochOf = (daemonId: string): number | undefined => this.tables.presence.get(daemonId)?.epoch

  readonly startNode = (): void => {
    const node = new SimulatedNode(
      `node_${this.nodes.length}`,
      this,
      (process) => new StoreLine(process, this.tables, this),
      (process) => outboundOf(process, this),
      // a node that does not start is started again
      () => {
        node.process.dead = true
        this.trace(`${node.process.name} does not start`)
        this.time.after(2_000, this.startNode)
      }
    )
    this.trace(`${node.process.name} starts`)
    this.nodes.push(node)
  }

  /** Lets so much time pass; ends early at the first violation. */
  pass(millis: number): void {
    const { time, monitor } = this
    const until = time.now + millis
    while (time.step(until)) {
      if (time.steps > stepsMax) monitor.fail(`the world does not come to rest in ${stepsMax} steps`)
      if (monitor.violations.length > 0) return
    }
  }

  private makeAccount(): string {
    const accountId = newId("account")
    const { tables, monitor } = this
    tables.accounts.set(accountId, { plan: "pro", disabled: false })
    monitor.owns(accountId, accountId)
    const wishes = [["daemon:connect", "daemon:disconnect", "command:completed"], ["*"]]
    for (const events of wishes) {
      const id = newId("webhook")
      const now = Math.floor(this.time.now)
      tables.webhooks.set(id, {
        id,
        accountId,
        url: `https://receiver.example/${id}`,
        events,
        active: true,
        secret,
        oldSecret: null,
        oldSecretUntil: null,
        createdAt: now,
        updatedAt: now,
        failures: 0,
        failingSince: null,
        lastDeliveryAt: null,
        lastStatusCode: null,
        dropped: 0,
        lastDroppedAt: null,
        selector: null
      })
      monitor.owns(id, accountId)
    }
    return accountId
  }

  private makeDaemon(nth: number): SimulatedDaemon {
    const accountId = this.accounts[nth % this.accounts.length]!
    const [daemonId, token] = [newId("daemon"), daemonTokens.make()]
    const { tables, monitor, time } = this
    monitor.owns(daemonId, accountId)
    tables.tokens.set(hashCredential(token), { daemonId, accountId, createdAt: 0, revokedAt: undefined })
    tables.daemons.set(daemonId, {
      accountId,
      revoked: false,
      snapshot: {
        daemonId,
        accountId,
        hostname: "",
        nickname: "",
        platform: "",
        version: "",
        online: false,
        revoked: false,
        epoch: 0,
        connectedAt: undefined,
        lastSeenAt: undefined,
        observedAt: undefined,
        sessions: [],
        workspaces: [],
        availableProviders: []
      },
      snapshotEpoch: 0,
      told: undefined,
      ownerTags: undefined
    })
    const daemon = new SimulatedDaemon({ daemonId, accountId, token }, nth, this)
    time.after(0, () => daemon.dialSoon(3_000))
    return daemon
  }
}

/** Calls and events at random times. */
const planWork = ({ time, random, integrators, daemons }: World, withinMillis: number): void => {
  const chance = random.fork()
  const calls = chance.pick([20, 60, 120])
  for (let made = 0; made < calls; made++) time.after(chance.between(500, withinMillis), () => integrators.call())
  for (let made = 0; made < calls; made++)
    time.after(chance.between(500, withinMillis), () => chance.pick(daemons).report())
}

const healStepMillis = 2_000
const healStepsMax = 75
/** A node that was late takes no other for dead until a lease has passed. */
const quietMillis = 6_000

/** Waits until nothing is wrong any more; what still is then, is. */
const settle = (world: World, wrongs: () => ReadonlyArray<string>): void => {
  let found: ReadonlyArray<string> = []
  for (let steps = 0; steps < healStepsMax; steps++) {
    world.pass(healStepMillis)
    if (world.monitor.violations.length > 0) return
    found = wrongs()
    if (found.length === 0) return
  }
  for (const one of found) world.monitor.fail(one)
}

/** Everyone leaves, and nothing is held for what is gone. */
const empty = (world: World): void => {
  for (const daemon of world.daemons) daemon.switchOff()
  settle(world, () => emptyWrongs(world))
}

/** The hub is quiet: each act of the seed, and that nothing is wrong after it. */
const play = (world: World, seed: number): void => {
  world.pass(quietMillis)
  for (const name of actsOf(seed)) {
    if (world.monitor.violations.length > 0) return
    world.trace(`act: ${name}`)
    const part = cast(world)
    if (part !== undefined) acts[name]!(world, part)
    settle(world, () => settledWrongs(world))
  }
}

/** The course of a world: what it throws is wrong too. */
const live = (world: World, seed: number, faults: number, workMillis: number): void => {
  try {
    planWork(world, workMillis)
    planFaults(world, faults, workMillis)
    world.pass(workMillis)
    if (world.monitor.violations.length > 0) return
    world.isHealed = true
    mend(world)
    settle(world, () => settledWrongs(world))
    if (world.monitor.violations.length === 0) play(world, seed)
    if (world.monitor.violations.length === 0) empty(world)
  } catch (defect) {
    world.monitor.fail(`the hub throws ${String(defect)}`)
  }
}

/** Runs the world of one seed. */
export const runSeed = (
  seed: number,
  options: { readonly course?: boolean; readonly inspect?: (world: World) => void } = {}
): Verdict => {
  const random = new Random(seed)
  const unseed = seedCrypto(random.fork())
  try {
    const faults = random.pick([0, 3, 8, 16])
    const world = new World(seed, random, faults === 0, options.course === true)
    const workMillis = random.pick([8_000, 20_000, 40_000])
    live(world, seed, faults, workMillis)
    world.closeDigest()
    options.inspect?.(world)
    const { monitor, digest, time, course } = world
    return { seed, violations: monitor.violations, digest, counts: monitor.counts, steps: time.steps, course }
  } finally {
    unseed()
  }
}
