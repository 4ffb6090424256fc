/**
 * Many simulated daemons in one process, cheap enough for 15,000: one timer for all of them, one raw socket each. Owns
 * when they connect, report, talk and leave; measures nothing but counts. (process.ts runs it as a program.)
 */
import { Arrivals } from "./arrivals.ts"
import { type Behaviour, LightDaemon, overloadedCode, type Tally } from "./light-daemon.ts"

/** How a fleet lives. */
export interface FleetOptions {
  readonly url: string
  /** Between a daemon's reports, spread evenly; 0 reports once only. */
  readonly reportMillis: number
  /** A source address of this fleet's own, where one address's ports are not enough for all. */
  readonly from?: string
  /** What its daemons name in their `auth`. Absent: nothing. */
  readonly capabilities?: ReadonlyArray<string>
  /** Its daemons come from this many addresses, the first of which is `from`. */
  readonly addresses?: number
}

/** What a fleet reports of itself. */
export interface FleetFigures extends Tally {
  readonly online: number
  readonly daemons: number
  /** How long the last `join` took. */
  readonly joinedMillis: number
}

interface Joining {
  readonly awaited: Set<LightDaemon>
  readonly queue: Array<LightDaemon>
  readonly done: () => void
  failed: number
}

const tickMillis = 100
const firstReportMillis = 2_000
const chattyMillis = 2_000
const slowMillis = 5_000
const flapMillis = 10_000
const backMillis = 1_000
const backLastMillis = 60_000
const restarting = 1012
/** Token unknown, token revoked, replaced by a newer connection: no daemon comes back after these. */
const final: ReadonlySet<number> = new Set([4401, 4403, 4409])
/** How often a daemon that joins accepts a deferral. */
const crowdedMax = 20
const standardPort = 80
const firstPort = 2_000
const lastPort = 64_000

const ticksOf = (millis: number): number => Math.max(1, Math.round(millis / tickMillis))

/** A fleet. */
export class Fleet {
  readonly daemons: Array<LightDaemon> = []
  readonly #options: FleetOptions
  readonly #tally: Tally = { commands: 0, events: 0, acks: 0, reports: 0, policies: 0, breaks: 0, closes: {} }
  /** The ticks of the slots that daemons were given. */
  readonly #slots = new Map<LightDaemon, number>()
  readonly #due = new Map<number, Array<() => void>>()
  readonly #timer: NodeJS.Timeout
  #tick = 0
  /** When the tick began. */
  #tickAt = performance.now()
  #port = firstPort + Math.floor(Math.random() * (lastPort - firstPort))
  #over = false
  #online = 0
  #putOff = 0
  #joining: Joining | undefined
  #joinedMillis = 0
  #arrivals: Arrivals | undefined

  constructor(options: FleetOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#turn(), tickMillis)
  }

  /** Connects a daemon for each token, `atOnce` under way at a time; ends once each is online or failed. */
  async join(
    tokens: ReadonlyArray<string>,
    manner: Behaviour,
    atOnce: number
  ): Promise<{ millis: number; failed: number }> {
    const { hostname, port } = new URL(this.#options.url)
    const context = {
      host: hostname,
      port: Number(port || standardPort),
      path: "/api/v1/daemons/connect",
      from: () => this.#source(),
      tally: this.#tally,
      ...(this.#options.capabilities !== undefined && { capabilities: this.#options.capabilities }),
      commanded: (daemon: LightDaemon) => this.#arrivals?.add(daemon.daemonId, daemon.manner === "exiting"),
      arrived: (daemon: LightDaemon) => this.#arrived(daemon),
      gone: (daemon: LightDaemon, code: number, wasOnline: boolean) => this.#gone(daemon, code, wasOnline),
      sentAway: (daemon: LightDaemon, millis: number) => this.#sentAway(daemon, millis)
    }
    const fresh = tokens.map((token) => new LightDaemon(context, token, manner))
    this.daemons.push(...fresh)
    const started = performance.now()
    let joining: Joining | undefined
    await new Promise<void>((done) => {
      if (fresh.length === 0) return done()
      joining = { awaited: new Set(fresh), queue: fresh.slice(atOnce), failed: 0, done }
      this.#joining = joining
      for (const daemon of fresh.slice(0, atOnce)) daemon.open()
    })
    this.#joining = undefined
    this.#joinedMillis = performance.now() - started
    return { millis: this.#joinedMillis, failed: joining?.failed ?? 0 }
  }

  /** Events at a steady pace over all who are online, each acknowledged by the hub; ends when the last ack is in. */
  async events(perSecond: number, seconds: number): Promise<{ sent: number; acked: number; millis: number }> {
    const before = { ...this.#tally }
    const total = Math.round(perSecond * seconds)
    const started = performance.now()
    let at = 0
    while (this.#tally.events - before.events < total) {
      const due = Math.min(total, Math.floor(((performance.now() - started) / 1_000) * perSecond))
      for (let sent = this.#tally.events - before.events; sent < due; sent++) {
        this.daemons[at]!.event()
        at = (at + 1) % this.daemons.length
      }
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    const acked = () => this.#tally.acks - before.acks
    const patience = performance.now() + 20_000
    while (acked() < total && performance.now() < patience) await new Promise((resolve) => setTimeout(resolve, 2))
    return { sent: total, acked: acked(), millis: performance.now() - started }
  }

  /**
   * Cuts all connections at once and waits until everybody is back, or patience ends. `putOff`: how often one was told
   * to come later.
   */
  async storm(patienceMillis: number): Promise<{ millis: number; online: number; putOff: number }> {
    const [before, started] = [this.#putOff, performance.now()]
    for (const daemon of this.daemons) daemon.leave(true)
    do await new Promise((resolve) => setTimeout(resolve, tickMillis / 2))
    while (this.#online < this.daemons.length && performance.now() - started < patienceMillis)
    return { millis: performance.now() - started, online: this.#online, putOff: this.#putOff - before }
  }

  /** From now on it is kept when commands come. */
  watch(): void {
    this.#arrivals = new Arrivals()
  }

  /** The commands since `watch`, which ends. */
  arrivals(): Arrivals {
    const arrivals = this.#arrivals ?? new Arrivals()
    this.#arrivals = undefined
    return arrivals
  }

  /** What happened so far. */
  figures(): FleetFigures {
    return { ...this.#tally, online: this.#online, daemons: this.daemons.length, joinedMillis: this.#joinedMillis }
  }

  /** All leave. */
  close(): void {
    this.#over = true
    clearInterval(this.#timer)
    for (const daemon of this.daemons) daemon.leave()
  }

  #arrived(daemon: LightDaemon): void {
    this.#online++
    this.#joined(daemon, false)
    const { life, manner } = daemon
    const then = (millis: number, act: () => void): void =>
      this.#in(millis, () => {
        if (daemon.online && daemon.life === life) act()
      })
    const reports = (): void => {
      daemon.report()
      if (this.#options.reportMillis > 0) then(this.#options.reportMillis, reports)
    }
    then(firstReportMillis, () => {
      daemon.report()
      // daemons that came together must not report together from then on
      if (this.#options.reportMillis > 0) then(Math.random() * this.#options.reportMillis, reports)
    })
    const talks = (): void => {
      daemon.event()
      then(chattyMillis, talks)
    }
    const dozes = (): void => {
      daemon.read(false)
      then(slowMillis * 0.9, () => {
        daemon.read(true)
        then(slowMillis * 0.1, dozes)
      })
    }
    if (manner === "chatty") then(Math.random() * chattyMillis, talks)
    if (manner === "slow") then(Math.random() * slowMillis, dozes)
    if (manner === "flapping") then((0.5 + Math.random()) * flapMillis, () => daemon.leave(Math.random() < 0.5))
  }

  /** The hub restarts: the daemon closes at its slot and comes back at once. */
  #sentAway(daemon: LightDaemon, millis: number): void {
    const { life } = daemon
    this.#slots.set(daemon, this.#tick + ticksOf(millis))
    this.#in(millis, () => {
      if (daemon.online && daemon.life === life) daemon.leave(false, restarting)
    })
  }

  #gone(daemon: LightDaemon, code: number, wasOnline: boolean): void {
    if (wasOnline) {
      this.#online--
      this.#tally.closes[code] = (this.#tally.closes[code] ?? 0) + 1
    } else if (code !== overloadedCode || daemon.failures >= crowdedMax) {
      if (this.#joined(daemon, true)) return
    }
    if (code === overloadedCode) this.#putOff++
    const slot = this.#slots.get(daemon)
    this.#slots.delete(daemon)
    if (this.#over || final.has(code)) return
    const toSlot = slot === undefined ? Number.POSITIVE_INFINITY : Math.max(0, slot - this.#tick) * tickMillis
    const kept = slot !== undefined && code === restarting
    const sinceTick = performance.now() - this.#tickAt
    // the next tick that is no sooner: one that comes sooner than the hub asked is refused once more
    const away = tickMillis * Math.ceil((this.#backoff(daemon) + sinceTick) / tickMillis)
    this.#in(kept ? toSlot : Math.min(toSlot, away), () => daemon.open())
  }

  /** Full jitter, doubling; never sooner than the hub asks. */
  #backoff(daemon: LightDaemon): number {
    const step = Math.min(backLastMillis, backMillis * 2 ** Math.min(daemon.failures++, 10))
    return Math.max(daemon.awayMillis, Math.random() * step)
  }

  /** One of those joining is in or has failed: the next one's turn. Says whether it was one of them. */
  #joined(daemon: LightDaemon, failed: boolean): boolean {
    const joining = this.#joining
    if (joining === undefined || !joining.awaited.delete(daemon)) return false
    if (failed) joining.failed++
    joining.queue.shift()?.open()
    if (joining.awaited.size === 0) joining.done()
    return true
  }

  #source(): { readonly localAddress: string; readonly localPort: number } | undefined {
    const { from } = this.#options
    if (from === undefined) return undefined
    this.#port = this.#port >= lastPort ? firstPort : this.#port + 1
    const [, head, last] = /^(.*\.)(\d+)$/u.exec(from)!
    const localAddress = `${head}${Number(last) + (this.#port % (this.#options.addresses ?? 1))}`
    return { localAddress, localPort: this.#port }
  }

  #in(millis: number, act: () => void): void {
    const tick = this.#tick + ticksOf(millis)
    const acts = this.#due.get(tick)
    if (acts === undefined) this.#due.set(tick, [act])
    else acts.push(act)
  }

  #turn(): void {
    this.#tick++
    this.#tickAt = performance.now()
    const acts = this.#due.get(this.#tick)
    if (acts === undefined) return
    this.#due.delete(this.#tick)
    for (const act of acts) act()
  }
}
