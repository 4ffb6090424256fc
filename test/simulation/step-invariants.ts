/**
 * The invariants of a simulated hub that are judged at each step, as the things happen: a command is executed at most
 * once and only where its caller may, an event is committed once and acknowledged only when it is, a time online is
 * told once, no id of another account gets anywhere, and no bound is exceeded. Owns the judgement; changes nothing.
 */
import { defaultSettings } from "../../src/config.ts"
import { namedOnly } from "../../src/domain/event/events.ts"
import { webhookInFlightMax } from "../../src/limits/delivery.ts"
import { dedupeKey, type NewDelivery } from "../../src/store/webhooks/deliveries.ts"
import type { CommandTable, DeliveryTable, Tables } from "./store/tables.ts"

/** How much sooner a grace may end than this judge sees: it begins with what the hub learns of a socket. */
const graceSlackMillis = 300

const idForm = /\b(?:acc|dmn|whk|cmd)_[0-9a-z]{20}\b/gu

/** What a command's caller put into it, which its daemon gives back. */
export interface Mark {
  readonly mark: string
  readonly accountId: string
  readonly daemonId: string
}

const wants = (events: ReadonlyArray<string>, event: string): boolean =>
  events.includes(event) || (events.includes("*") && !namedOnly.has(event))

/** The judge. */
export class Monitor {
  readonly violations: Array<string> = []
  /** How often things happened, to see that a world does something. */
  readonly counts: Record<string, number> = {}
  /** Nothing befalls this world: what holds only then is judged too. */
  readonly calm: boolean
  /** Whether a daemon is connected to a node, as both of them know. */
  isConnected: (daemonId: string, node: string) => boolean = () => false
  /** How long the last connection of a daemon to a node is over there, as the node knows. */
  lostFor: (daemonId: string, node: string) => number | undefined = () => undefined
  /** From now on nothing befalls this world that may have a delivery sent twice. */
  sendsOnce = false
  /** How often times online of each daemon ended. */
  readonly ends = new Map<string, number>()
  /** Whether a daemon still has a command that it keeps over its connections. */
  keeps: (daemonId: string, commandId: string) => boolean = () => false
  private readonly tables: Tables
  private readonly owners = new Map<string, string>()
  private readonly executions = new Map<string, string>()
  private readonly notSent = new Set<string>()
  private readonly answers = new Set<string>()
  private readonly flying = new Map<string, Set<string>>()
  private readonly flights = new Map<string, number>()
  private readonly eventDeliveries = new Set<string>()
  private readonly toldOf = new Map<string, string>()
  private readonly arrived = new Set<string>()
  private readonly alwaysActive = new Set<string>()
  private readonly onceOnly = new Set<string>()

  constructor(tables: Tables, calm: boolean) {
    this.tables = tables
    this.calm = calm
    tables.watch = {
      inserted: (delivery) => this.inserted(delivery),
      began: (daemonId, _, deliveries) => this.toldOnline(daemonId, "daemon:connect", deliveries),
      ended: (daemonId, node, reason, deliveries) => {
        this.ends.set(daemonId, (this.ends.get(daemonId) ?? 0) + 1)
        if (reason === "timeout") this.timedOut(daemonId, node)
        if (reason !== "disabled") this.toldOnline(daemonId, "daemon:disconnect", deliveries)
      },
      firstEnd: (command, deliveries) => this.commandEnded(command, deliveries)
    }
  }

  fail(text: string): void {
    if (this.violations.length < 20) this.violations.push(text)
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }

  /** This id is of that account. */
  owns(id: string, accountId: string): void {
    this.owners.set(id, accountId)
    if (id.startsWith("whk_")) this.alwaysActive.add(id)
  }

  /** A webhook was paused once: what it misses is not missed. */
  paused(webhookId: string): void {
    this.alwaysActive.delete(webhookId)
  }

  /** An account was shown this. */
  shown(accountId: string, what: string, value: unknown): void {
    for (const [id] of JSON.stringify(value ?? null).matchAll(idForm)) {
      const owner = this.owners.get(id)
      if (owner !== undefined && owner !== accountId) this.fail(`${what} shows ${id} of another account`)
    }
  }

  /** A daemon executes a command. */
  executed(daemonId: string, commandId: string, payload: unknown): void {
    this.count("executed")
    const { mark, accountId, daemonId: meant } = payload as Mark
    if (this.executions.has(mark)) this.fail(`the command ${mark} is executed twice`)
    if (this.notSent.has(mark)) this.fail(`the command ${mark} is executed after its caller was told that it is not`)
    if (meant !== daemonId) this.fail(`the command ${mark} is executed on another daemon`)
    if (this.owners.get(daemonId) !== accountId) this.fail(`the command ${mark} reaches another account`)
    this.executions.set(mark, commandId)
  }

  /** A caller was told that its command surely was not sent. */
  refused(mark: string, why: string): void {
    this.notSent.add(mark)
    if (this.executions.has(mark)) this.fail(`the command ${mark} was executed, and its caller told ${why}`)
  }

  /** A caller has the result of a command. */
  answered(mark: string, result: unknown): void {
    this.count("answered")
    this.answers.add(mark)
    const told = (result as Partial<Mark> | undefined)?.mark
    if (told !== mark) this.fail(`the caller of ${mark} has the result of ${told}`)
    if (!this.executions.has(mark)) this.fail(`the caller of ${mark} has a result, and no daemon executed it`)
  }

  /** Whether the caller of a command has its result. */
  hasAnswer(mark: string): boolean {
    return this.answers.has(mark)
  }

  /** A daemon was told that its event is committed. */
  acknowledged(daemonId: string, event: string, eventId: string): void {
    this.count("acknowledged")
    for (const { id, events } of this.wanting(daemonId)) {
      if (!events.includes("*")) continue
      const key = `${id} ${dedupeKey({ daemonId, id: eventId })}`
      if (!this.eventDeliveries.has(key)) this.fail(`${event} ${eventId} is acknowledged, and ${id} has no delivery`)
    }
  }

  /** A request leaves for a receiver. Returns what to call at its end. */
  attempted(node: string, webhookId: string, deliveryId: string, body: string): () => void {
    this.count("attempts")
    const own = `${node} ${webhookId}`
    const flying = this.flying.get(own) ?? new Set()
    this.flying.set(own, flying)
    if (flying.has(deliveryId)) this.fail(`${deliveryId} is sent twice at once by ${node}`)
    flying.add(deliveryId)
    const total = (this.flights.get(webhookId) ?? 0) + 1
    this.flights.set(webhookId, total)
    if (flying.size > webhookInFlightMax) this.fail(`${flying.size} attempts under way to ${webhookId} at ${node}`)
    if (this.calm && total > webhookInFlightMax) this.fail(`${total} attempts under way to ${webhookId}`)
    const isOnceOnly = this.calm || this.onceOnly.has(deliveryId)
    if (isOnceOnly && this.arrived.has(deliveryId)) this.fail(`${deliveryId} is sent again after it arrived`)
    const row = this.tables.deliveries.get(deliveryId)
    if (row === undefined) this.fail(`${deliveryId} is sent and not committed`)
    else if (row.body !== body || row.webhookId !== webhookId) this.fail(`${deliveryId} is sent as another one`)
    let over = false
    return () => {
      if (over) return
      over = true
      flying.delete(deliveryId)
      this.flights.set(webhookId, this.flights.get(webhookId)! - 1)
    }
  }

  /** A receiver took a delivery. */
  received(deliveryId: string): void {
    this.count("received")
    this.arrived.add(deliveryId)
  }

  /** Whether a receiver took it. */
  hasArrived(deliveryId: string): boolean {
    return this.arrived.has(deliveryId)
  }

  private wanting(daemonId: string) {
    const accountId = this.owners.get(daemonId)
    return [...this.tables.webhooks.values()].filter(
      (one) => one.accountId === accountId && this.alwaysActive.has(one.id)
    )
  }

  private inserted(delivery: DeliveryTable): void {
    this.count(delivery.event)
    const { webhookId, body, dedupe, event } = delivery
    if (this.sendsOnce) this.onceOnly.add(delivery.id)
    if (!wants(this.tables.webhooks.get(webhookId)!.events, event))
      this.fail(`${webhookId} gets ${event}, which it did not ask for`)
    const accountId = this.owners.get(webhookId)!
    this.shown(accountId, `a delivery of ${event}`, body)
    if (dedupe === undefined) return
    const key = `${webhookId} ${dedupeKey(dedupe)}`
    // with its token the numbers of its events are forgotten
    const mayRepeat = this.tables.daemons.get(dedupe.daemonId)?.revoked === true
    if (this.eventDeliveries.has(key) && !mayRepeat)
      this.fail(`${event} ${dedupe.id} is committed twice for ${webhookId}`)
    this.eventDeliveries.add(key)
  }

  /** A time online began or ended in the table of presence: each webhook that wants it is told, once, and in turn. */
  private toldOnline(daemonId: string, event: string, deliveries: ReadonlyArray<NewDelivery>): void {
    this.count(`told ${event}`)
    if (this.toldOf.get(daemonId) === event) this.fail(`${event} of ${daemonId} comes twice in turn`)
    this.toldOf.set(daemonId, event)
    for (const { id, events } of this.wanting(daemonId)) {
      if (!wants(events, event)) continue
      const told = deliveries.filter((one) => one.webhookId === id)
      if (told.length !== 1) this.fail(`${event} of ${daemonId} is told ${told.length} times to ${id}`)
      else if (told[0]!.event !== event || !told[0]!.body.includes(daemonId)) {
        this.fail(`${event} of ${daemonId} is told as ${told[0]!.event}`)
      }
    }
  }

  /** A time online ended because its daemon did not come back within its grace. */
  private timedOut(daemonId: string, node: string): void {
    if (this.isConnected(daemonId, node))
      this.fail(`the time online of ${daemonId} ends while it is connected to ${node}`)
    const lostFor = this.lostFor(daemonId, node)
    if (lostFor === undefined || lostFor >= defaultSettings.disconnectGraceMillis - graceSlackMillis) return
    this.fail(`the grace of ${daemonId} at ${node} ends after ${Math.round(lostFor)} ms`)
  }

  private commandEnded({ commandId, daemonId, state }: CommandTable, deliveries: ReadonlyArray<NewDelivery>): void {
    this.count(`stored ${state}`)
    if (state === "lost" && this.keeps(daemonId, commandId))
      this.fail(`${commandId} counts as lost, and its daemon ${daemonId} has it`)
    for (const { id, events } of this.wanting(daemonId)) {
      const told = deliveries.filter((one) => one.webhookId === id).length
      if (told !== (wants(events, "command:completed") ? 1 : 0))
        this.fail(`the end of ${commandId} is told ${told} times to ${id}`)
    }
  }
}
