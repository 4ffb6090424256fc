/**
 * The callers of a simulated hub: commands of both kinds, reads, orders, through any node. Owns what each call does and
 * tells the monitor what came of it; a call whose node is killed has no answer.
 */
import { Cause, Effect, Exit, Option } from "effect"
import { Directory } from "../../actors/commands/directory.ts"
import { FleetTagging } from "../../actors/commands/fleet-tagging.ts"
import { StoredCommands } from "../../actors/commands/stored-commands.ts"
import { notRead } from "../../actors/daemon/decide-command.ts"
import { RateLimits } from "../../actors/limits/rate-limits.ts"
import { SubscriptionIndex } from "../../actors/webhooks/subscription-index.ts"
import type { Tags } from "../../src/domain/daemon/tags.ts"
import { newId } from "../../src/domain/ids.ts"
import { NotFound } from "../../src/errors.ts"
import { rateWindowMillis } from "../../src/limits.ts"
import { toEffect } from "../../src/runtime/maybe-sync.ts"
import type { Random } from "./seeded-random.ts"
import type { SimulatedDaemon } from "./simulated-daemon.ts"
import type { NodeServices, SimulatedNode } from "./simulated-node.ts"
import type { Mark, Monitor } from "./step-invariants.ts"
import { setActive } from "./store/delivery-statements.ts"
import type { Tables } from "./store/tables.ts"
import type { VirtualTime } from "./virtual-time.ts"

/** What the callers have. */
export interface CallerWorld {
  readonly time: VirtualTime
  readonly random: Random
  readonly monitor: Monitor
  readonly tables: Tables
  readonly nodes: ReadonlyArray<SimulatedNode>
  readonly daemons: ReadonlyArray<SimulatedDaemon>
  readonly accounts: ReadonlyArray<string>
}

/** Failures after which a command surely was not sent. */
const surelyNotSent = new Set(["NotFound", "DaemonOffline", "Overloaded", "PayloadTooLarge", "CommandLimitReached"])
const commandMillisMax = 75_000
const rateLimit = 30
const revokeAgainMillis = 1_000
const startedMillis = 40_000
/** How many ways there are to ask for another account's daemon; the first sends a command. */
const trespasses = 5

interface Call {
  readonly node: SimulatedNode
  readonly what: string
  readonly at: number
}

/** The callers. */
export class Integrators {
  /** Calls without an answer. */
  readonly underWay = new Set<Call>()
  private readonly world: CallerWorld
  private readonly random: Random
  private readonly admitted = new Map<string, Array<number>>()
  /** Commands that outlive their call, whose callers were told that they are started. */
  readonly started: Array<{ readonly accountId: string; readonly commandId: string }> = []
  private marks = 0

  constructor(world: CallerWorld) {
    this.world = world
    this.random = world.random.fork()
  }

  /** One call, of a kind that chance chooses. */
  call(): void {
    const up = this.world.nodes.filter(({ isUp }) => isUp)
    if (up.length === 0) return
    const node = this.random.pick(up)
    const daemon = this.random.pick(this.world.daemons)
    const chance = this.random.next()
    if (chance < 0.4) this.command(node, daemon)
    else if (chance < 0.6) this.start(node, daemon)
    else if (chance < 0.68) this.cancel(node)
    else if (chance < 0.76) this.read(node, daemon)
    else if (chance < 0.84) this.trespass(node, daemon)
    else if (chance < 0.92) this.takeRate(node)
    else if (chance < 0.96) this.disconnect(node, daemon)
    else if (chance < 0.98) this.pauseWebhook(node)
    else this.tag(node, daemon)
  }

  /** What has taken longer than any call may. */
  late(): ReadonlyArray<string> {
    const { now } = this.world.time
    return [...this.underWay].flatMap(({ node, what, at }) =>
      node.process.dead || now - at < commandMillisMax ? [] : [`${what} has no answer after ${now - at} ms`]
    )
  }

  /** Its owner revokes a daemon, and asks again until it is told that it is. */
  revoke(daemon: SimulatedDaemon, through?: SimulatedNode): void {
    daemon.revoked = true
    const { time, nodes } = this.world
    const node = through ?? this.random.pick(nodes.filter(({ process }) => !process.dead))
    const again = (): void => this.revoke(daemon)
    if (node?.isUp !== true) return void time.after(revokeAgainMillis, again)
    const revoked = Effect.flatMap(Directory, (all) => all.revoke(daemon.accountId, daemon.daemonId))
    let isAnswered = false
    this.ask(node, "revoke", revoked, (exit) => {
      isAnswered = true
      if (Exit.isFailure(exit)) time.after(revokeAgainMillis, again)
    })
    time.after(commandMillisMax, () => {
      if (!isAnswered) again()
    })
  }

  private ask<A, E>(
    node: SimulatedNode,
    what: string,
    effect: Effect.Effect<A, E, NodeServices>,
    then: (exit: Exit.Exit<A, E>) => void
  ): void {
    const { time, monitor } = this.world
    const call: Call = { node, what, at: time.now }
    this.underWay.add(call)
    node.run(effect).addObserver((exit) => {
      this.underWay.delete(call)
      if (Exit.hasDies(exit)) monitor.fail(`${what} dies: ${Cause.pretty((exit as Exit.Failure<A, E>).cause)}`)
      monitor.count(`${what} ${tagOf(exit)}`)
      then(exit)
    })
  }

  private payload({ daemonId, accountId }: SimulatedDaemon): Mark {
    return { mark: `m${this.marks++}`, accountId, daemonId }
  }

  /** A call that waits for its result. Returns its mark. */
  command(node: SimulatedNode, daemon: SimulatedDaemon): string {
    const { monitor } = this.world
    const { accountId, daemonId } = daemon
    const payload = this.payload(daemon)
    const asked = Effect.flatMap(Directory, (all) => all.command({ accountId, daemonId, type: "read_chat", payload }))
    this.ask(node, "command", asked, (exit) => {
      if (Exit.isSuccess(exit) && exit.value.code === notRead.code) monitor.count("unread")
      else if (Exit.isSuccess(exit)) monitor.answered(payload.mark, exit.value.result)
      else if (surelyNotSent.has(tagOf(exit))) monitor.refused(payload.mark, tagOf(exit))
      this.checkKnown(daemon, "command", exit)
    })
    return payload.mark
  }

  /** A command that outlives its call. */
  start(node: SimulatedNode, daemon: SimulatedDaemon, millis = startedMillis): void {
    const { monitor } = this.world
    const { accountId, daemonId } = daemon
    const payload = this.payload(daemon)
    const asked = Effect.flatMap(StoredCommands, (all) =>
      all.start({ accountId, daemonId, type: "send_chat", payload }, "pro", millis)
    )
    this.ask(node, "start", asked, (exit) => {
      if (Exit.isSuccess(exit)) {
        const { commandId } = exit.value
        this.started.push({ accountId, commandId })
        if (!this.world.tables.commands.has(commandId)) monitor.fail(`${commandId} is started and has no row`)
      } else if (surelyNotSent.has(tagOf(exit))) monitor.refused(payload.mark, tagOf(exit))
      this.checkKnown(daemon, "start", exit)
    })
  }

  /** Its owner's daemon is not answered like one that is nowhere. */
  private checkKnown({ daemonId, revoked }: SimulatedDaemon, what: string, exit: Exit.Exit<unknown, unknown>): void {
    if (tagOf(exit) === "NotFound" && !revoked)
      this.world.monitor.fail(`a ${what} of its own account does not find ${daemonId}`)
  }

  /** Asks for the end of one that was started, or of any. */
  cancel(node: SimulatedNode, one?: (typeof this.started)[number]): void {
    if (this.started.length === 0) return
    const { accountId, commandId } = one ?? this.random.pick(this.started)
    const asked = Effect.gen(function* () {
      const commands = yield* StoredCommands
      return yield* commands.cancel(yield* commands.find(accountId, commandId))
    })
    this.ask(node, "cancel", asked, () => {})
  }

  private read(node: SimulatedNode, { accountId, daemonId }: SimulatedDaemon): void {
    const { monitor, random } = this.world
    const asked = Effect.gen(function* () {
      const directory = yield* Directory
      if (random.chance(0.5)) return yield* directory.online(accountId)
      return yield* directory.snapshot(accountId, daemonId)
    })
    this.ask(node, "read", asked, (exit) => {
      if (Exit.isSuccess(exit)) monitor.shown(accountId, "a read", exit.value)
    })
  }

  /** Another account's daemon is answered like one that is nowhere. */
  trespass(node: SimulatedNode, { accountId, daemonId }: SimulatedDaemon, way?: number): void {
    const { monitor, accounts, random } = this.world
    const other = random.pick(accounts)
    if (other === accountId) return
    const payload: Mark = { mark: `m${this.marks++}`, accountId: other, daemonId }
    const kind = way ?? random.below(trespasses)
    const asked = (id: string) =>
      Effect.gen(function* () {
        const directory = yield* Directory
        if (kind === 0) return yield* directory.command({ accountId: other, daemonId: id, type: "read_chat", payload })
        if (kind === 1) return yield* directory.snapshot(other, id)
        if (kind === 2) return yield* directory.disconnect(other, id)
        if (kind === 3) return yield* tagOne(other, id, { stolen: "yes" })
        return yield* directory.revoke(other, id)
      })
    this.ask(node, "trespass", asked(daemonId), (exit) => {
      const tag = tagOf(exit)
      // where the store does not say whose it is, the nodes are asked, and any id is answered so
      if (tag === "DaemonSocketLost" && (!monitor.calm || node.line.faults.cut)) return
      if (tag !== "NotFound" && tag !== "StoreFailed" && tag !== "Overloaded")
        monitor.fail(`an account that asks (${kind}) for ${daemonId} of another is told ${tag}`)
      if (kind === 0) monitor.refused(payload.mark, tag)
    })
  }

  private takeRate(node: SimulatedNode): void {
    const { monitor, time } = this.world
    const name = this.random.pick(this.world.accounts)
    const key = `${node.process.name} ${name}`
    const admitted = this.admitted.get(key) ?? []
    this.admitted.set(key, admitted)
    for (let burst = this.random.below(25); burst >= 0; burst--) {
      const began = time.now
      this.ask(
        node,
        "rate",
        Effect.flatMap(RateLimits, (limits) => toEffect(limits.key(name))),
        (exit) => {
          if (!Exit.isSuccess(exit) || !exit.value.admitted) return
          admitted.push(began)
          const recent = admitted.filter((at) => at > began - rateWindowMillis)
          if (recent.length > rateLimit) monitor.fail(`${recent.length} calls of ${name} are admitted in a minute`)
        }
      )
    }
  }

  private disconnect(node: SimulatedNode, { accountId, daemonId }: SimulatedDaemon): void {
    this.ask(
      node,
      "disconnect",
      Effect.flatMap(Directory, (all) => all.disconnect(accountId, daemonId)),
      () => {}
    )
  }

  private tag(node: SimulatedNode, { accountId, daemonId }: SimulatedDaemon): void {
    const tags = { room: newId("request").slice(-4) }
    this.ask(node, "tag", tagOne(accountId, daemonId, tags), () => {})
  }

  private pauseWebhook(node: SimulatedNode): void {
    const { tables, monitor, time } = this.world
    const webhook = this.random.pick([...tables.webhooks.values()])
    monitor.paused(webhook.id)
    const change = (active: boolean): void => {
      setActive(tables, webhook.id, active)
      if (node.isUp) node.get(SubscriptionIndex).changed(webhook.accountId)
    }
    change(false)
    time.after(this.random.between(100, 5_000), () => change(true))
  }
}

/** The name of what an exit failed with, or Success. */
const tagOne = Effect.fnUntraced(function* (accountId: string, daemonId: string, set: Tags) {
  const [changed] = yield* (yield* FleetTagging).change(accountId, { daemonId }, { replaces: true, set, removed: [] })
  if (changed === undefined) return yield* new NotFound()
})

const tagOf = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(exit)) return "Success"
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause)) as { readonly _tag?: string } | undefined
  return error?._tag ?? "Defect"
}
