/**
 * Plays a script against a hub, lets all faults end, and says what is wrong then: every time online of every daemon is
 * announced once at its beginning and once at its end, what the API says agrees with the sockets, and nothing remains.
 * Owns the course of it; only looks at what callers, daemons and receivers see.
 */
import { wait } from "../../../support/hub-process.ts"
import { until } from "../../../support/until.ts"
import { announcementsWrong } from "./announcement-rules.ts"
import { Faults } from "./faults.ts"
import { graceMillis, type HarmedHub, startHarmedHub } from "./faulty-hub.ts"
import { JudgedDaemon } from "./observed-daemon.ts"
import type { Script, Step } from "./script.ts"

/** A lease, a grace, and what a node needs to act on them: what was left undone would be announced by then. */
const settledMillis = 5_000 + graceMillis + 2_000
/** Longer than all that a node waits for before it concludes something, on a machine that is busy. */
const agreeMillisMax = 25_000
const orderMillisMax = 3_000
const triesMax = 3
const againMillis = 120

/** What came of a run. */
export interface Judgement {
  /** What is wrong, in words. */
  readonly wrongs: ReadonlyArray<string>
  /** What happened, for whoever looks for the cause. */
  readonly course: ReadonlyArray<string>
  readonly announcements: number
  /** Of how many daemons the count of times online was known exactly. */
  readonly exact: number
}

class Run {
  readonly hub: HarmedHub
  readonly daemons: ReadonlyArray<JudgedDaemon>
  readonly faults: Faults
  readonly wrongs: Array<string> = []
  readonly course: Array<string> = []
  private readonly began = performance.now()
  private readonly busy = new Map<JudgedDaemon, Promise<unknown>>()

  constructor(hub: HarmedHub, enrolled: ReadonlyArray<{ daemonId: string; token: string }>) {
    this.hub = hub
    this.faults = new Faults(hub, {
      killed: (at) => {
        for (const daemon of this.daemons) daemon.lose(at, hub.nodes.length > 1)
      },
      started: (at, began) => this.comeBack(at, began),
      doubted: (at) => {
        for (const daemon of this.daemons) if (daemon.newest?.node === at) daemon.times.mayHaveBegunAnew()
      },
      say: (what) => this.say(what)
    })
    const context = {
      graceMillis,
      now: () => Math.round(performance.now() - this.began),
      url: (node: number) => (hub.nodes[node]!.gone ? undefined : hub.nodes[node]!.hub.url),
      isDoubtful: (node: number) => this.faults.isDoubtful(node),
      sentAway: (daemon: JudgedDaemon) => {
        const from = daemon.newest!.node
        void this.alone(daemon, () => this.dial(daemon, from + 1))
      }
    }
    this.daemons = enrolled.map(({ daemonId, token }, at) => new JudgedDaemon(context, `box${at}`, daemonId, token))
  }

  say(what: string): void {
    this.course.push(`${Math.round(performance.now() - this.began)} ms: ${what}`)
  }

  /** Does this once the daemon does nothing else. */
  alone<A>(daemon: JudgedDaemon, work: () => Promise<A>): Promise<A> {
    const done = (this.busy.get(daemon) ?? Promise.resolve()).then(work)
    this.busy.set(
      daemon,
      done.catch(() => {})
    )
    return done
  }

  /** Once no daemon does anything. */
  async idle(): Promise<void> {
    await Promise.all(this.busy.values())
  }

  /** Every other daemon that has no connection dials a node that has just started. */
  private comeBack(at: number, began: number): void {
    for (const [nth, daemon] of this.daemons.entries()) {
      if (daemon.open.length > 0) continue
      daemon.times.endsAfter(began + graceMillis)
      if (nth % 2 === 0 && daemon.newest !== undefined) void this.alone(daemon, () => this.dial(daemon, at))
    }
  }

  /** Tries one node after the other. */
  async dial(daemon: JudgedDaemon, node: number): Promise<void> {
    const { length } = this.hub.nodes
    for (let tries = 0; tries < triesMax; tries++) {
      if (await daemon.dial((node + tries) % length)) return
      await wait(againMillis)
    }
  }

  async live(daemon: JudgedDaemon, steps: ReadonlyArray<Step>): Promise<void> {
    for (const step of steps) {
      if (step.do === "pause") await wait(step.millis)
      else await this.alone(daemon, () => this.step(daemon, step))
    }
  }

  private async step(daemon: JudgedDaemon, step: Exclude<Step, { do: "pause" }>): Promise<void> {
    switch (step.do) {
      case "dial":
        return this.dial(daemon, step.node)
      case "race":
        return this.race(daemon, step.node, step.other)
      case "leave":
        daemon.leave()
        return step.seen ? this.awaitEnd(daemon) : undefined
      case "lose":
        return daemon.lose()
      case "order":
        await this.order(daemon, step.node)
        return step.seen ? this.awaitEnd(daemon) : undefined
      case "revoke":
        return this.revoke(daemon, step.node)
      case "awaitEnd":
        return this.awaitEnd(daemon)
    }
  }

  /** Dials two nodes at once; the hub keeps one of them. */
  private async race(daemon: JudgedDaemon, node: number, other: number): Promise<void> {
    const { length } = this.hub.nodes
    await Promise.all([daemon.dial(node % length), daemon.dial(other % length)])
  }

  private order(daemon: JudgedDaemon, at: number): Promise<boolean> {
    return daemon.newest === undefined ? Promise.resolve(false) : this.command(daemon, at, "disconnect")
  }

  /** Its owner's order through a node; whether it was answered. */
  private async command(daemon: JudgedDaemon, at: number, order: "disconnect" | "revoke"): Promise<boolean> {
    const node = this.hub.nodes[at % this.hub.nodes.length]!
    if (node.gone) return false
    daemon.times.endsAfter(0)
    const path = `/api/v1/daemons/${daemon.daemonId}/${order}`
    const asked = { session: this.hub.session, signal: AbortSignal.timeout(orderMillisMax) }
    const { status, text } = await node.hub
      .request("POST", path, asked)
      .catch((error: unknown) => ({ status: 0, text: String(error) }))
    daemon.note(`${order} through ${at}: ${status} ${text.slice(0, 60)}`)
    return status === 200
  }

  /** Revokes it, however often that takes. */
  private async revoke(daemon: JudgedDaemon, at: number): Promise<void> {
    for (let tries = 0; !daemon.revoked && tries < triesMax; tries++) {
      daemon.revoked = await this.command(daemon, at + tries, "revoke")
      if (!daemon.revoked) await wait(againMillis)
    }
  }

  /** Waits until a daemon that has no connection is told gone; while something is harmed, not for long. */
  private async awaitEnd(daemon: JudgedDaemon): Promise<void> {
    if (daemon.newest === undefined || daemon.open.length > 0) return
    const deadline = performance.now() + 3_000
    while (performance.now() < deadline) {
      const told = (await this.hub.announced()).filter(({ daemonId }) => daemonId === daemon.daemonId)
      const connects = told.filter(({ event }) => event === "connect").length
      if (connects > 0 && connects * 2 === told.length && daemon.times.ended(connects)) {
        daemon.note(`is told gone, ${connects} times by now`)
        if (daemon.times.impossible) this.wrongs.push(`${daemon.name} cannot have been told ${connects} times`)
        return
      }
      await wait(50)
    }
  }

  /** Until all agree, or patience ends; gives what is still wrong. */
  async agree(what: string): Promise<void> {
    const deadline = performance.now() + agreeMillisMax
    for (;;) {
      const left = await this.disagreements()
      if (left.length === 0) return
      if (performance.now() > deadline) return void this.wrongs.push(...left.map((one) => `${what}: ${one}`))
      await wait(againMillis)
    }
  }

  private async disagreements(): Promise<ReadonlyArray<string>> {
    const found: Array<string> = []
    const told = await this.hub.announced()
    const online = this.daemons.filter((daemon) => daemon.open.length > 0)
    for (const { name, revoked } of online) if (revoked) found.push(`${name} is revoked and connected`)
    for (const daemon of this.daemons) {
      const { name, open } = daemon
      if (open.length > 1) found.push(`${name} has connections to ${open.map(({ node }) => node).join(" and ")}`)
      const last = told.findLast(({ daemonId }) => daemonId === daemon.daemonId)?.event ?? "disconnect"
      if ((last === "connect") !== open.length > 0) {
        found.push(`${name} has ${open.length} connections, and ${last} was told last`)
      }
    }
    const ids = online.map(({ daemonId }) => daemonId).sort()
    for (const [at, { hub, gone }] of this.hub.nodes.entries()) {
      if (gone) continue
      const { body } = await hub.request("GET", "/api/v1/daemons", { key: this.hub.key })
      const listed = (body.daemons as ReadonlyArray<{ id: string }>).map(({ id }) => id).sort()
      const nameOf = (id: string): string => this.daemons.find(({ daemonId }) => daemonId === id)?.name ?? id
      const [more, less] = [listed.filter((id) => !ids.includes(id)), ids.filter((id) => !listed.includes(id))]
      if (more.length > 0) found.push(`node ${at} lists ${more.map(nameOf).join(", ")} without a connection`)
      if (less.length > 0) found.push(`node ${at} does not list ${less.map(nameOf).join(", ")}`)
      for (const { daemonId, name } of online) {
        const path = `/api/v1/daemons/${daemonId}/command`
        const asked = { key: this.hub.key, body: { type: "read_chat", payload: {} } }
        const { status, body: answer } = await hub.request("POST", path, asked)
        if (answer?.result?.of !== daemonId) found.push(`${name} is not commanded through node ${at}: ${status}`)
      }
    }
    return found
  }

  /** Everyone leaves. */
  async leave(): Promise<void> {
    for (const daemon of this.daemons) daemon.leave()
  }

  /** What was announced against what may have happened. */
  async judge(): Promise<Pick<Judgement, "announcements" | "exact">> {
    const told = await this.hub.announced()
    const { wrongs } = this
    let exact = 0
    for (const daemon of this.daemons) {
      const own = told.filter(({ daemonId }) => daemonId === daemon.daemonId)
      daemon.times.concluded(false)
      wrongs.push(...announcementsWrong(daemon, own, performance.timeOrigin + this.began))
      if (daemon.times.counts.length === 1) exact++
    }
    const missing = (): number => {
      const received = this.hub.received()
      return told.filter(({ id }) => !received.has(id)).length
    }
    await until("every delivery arrives", () => missing() === 0).catch(() =>
      wrongs.push(`${missing()} deliveries never arrived`)
    )
    await until("nothing is held", async () => (await this.hub.held()) === 0).catch(async () =>
      wrongs.push(`the nodes hold ${await this.hub.held()} daemons`)
    )
    return { announcements: told.length, exact }
  }
}

/** Plays it. */
export const judge = async ({ nodes, isAlone, faults, daemons }: Script): Promise<Judgement> => {
  const hub = await startHarmedHub(nodes, isAlone)
  try {
    const enrolled = []
    for (const _ of daemons) enrolled.push(await hub.enrol())
    const run = new Run(hub, enrolled)
    const lives = Promise.all(run.daemons.map((daemon, at) => run.live(daemon, daemons[at]!)))
    for (const { after, fault } of faults) {
      await wait(after)
      run.faults.begin(fault)
    }
    await lives
    await run.faults.end()
    await run.idle()
    const healedAt = performance.now()
    run.say("all is healed")
    await run.agree("agreement after the faults")
    run.say("all agree")
    await wait(Math.max(0, settledMillis - (performance.now() - healedAt)))
    await run.leave()
    run.say("all leave")
    await run.agree("agreement in the end")
    run.say("all agree again")
    const judged = await run.judge()
    return { wrongs: run.wrongs, course: run.course, ...judged }
  } finally {
    await hub.close()
  }
}
