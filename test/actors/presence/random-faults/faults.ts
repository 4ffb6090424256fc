/**
 * Does to a hub what a script says goes wrong, and undoes it. Owns what is harmed at present and since when a node was
 * without Postgres; decides nothing.
 */
import { wait } from "../../../support/hub-process.ts"
import type { HarmedHub, HarmedNode } from "./faulty-hub.ts"
import type { Fault } from "./script.ts"

/** What the harm means for daemons. */
export interface FaultsContext {
  /** The node in this place is about to end without a goodbye. */
  readonly killed: (at: number) => void
  /** A node is in this place again; it began to start at that moment. */
  readonly started: (at: number, began: number) => void
  /** The others may have taken this node for dead, and it is back. */
  readonly doubted: (at: number) => void
  readonly say: (what: string) => void
}

/** So long without Postgres, and the others may take a node for dead: the lease less a heartbeat and a margin. */
const doubtMillis = 3_000
/** So long a node that is to be killed at a write is waited for. */
const writeMillisMax = 2_000
/** So long after that a node may still find out what became of its daemons. */
const doubtAfterMillis = 3_000

const runs = (hub: HarmedHub): ReadonlyArray<HarmedNode> => hub.nodes.filter(({ gone }) => !gone)

/** The faults of one hub. */
export class Faults {
  private readonly hub: HarmedHub
  private readonly context: FaultsContext
  private readonly underWay = new Set<Promise<void>>()
  /** Places whose node is harmed or changes: no second fault at the same time. */
  private readonly busy = new Set<string>()
  private readonly apartSince = new Map<HarmedNode, number>()
  private readonly doubtfulUntil = new Map<HarmedNode, number>()
  /** Ends all waits: what is harmed is undone at once. */
  private hurry: () => void = () => {}
  private readonly hurried = new Promise<void>((resolve) => {
    this.hurry = resolve
  })

  constructor(hub: HarmedHub, context: FaultsContext) {
    this.hub = hub
    this.context = context
  }

  /** Begins a fault; it undoes itself. */
  begin(fault: Fault): void {
    const at = "node" in fault ? fault.node % this.hub.nodes.length : -1
    const parts = this.partsOf(fault, at)
    if (parts.some((part) => this.busy.has(part))) return
    for (const part of parts) this.busy.add(part)
    this.context.say(`${JSON.stringify(fault)} begins`)
    const done = this.perform(fault, at).then(() => {
      for (const part of parts) this.busy.delete(part)
      this.underWay.delete(done)
      this.context.say(`${JSON.stringify(fault)} is over`)
    })
    this.underWay.add(done)
  }

  /** Undoes all, and waits until it is undone. */
  async end(): Promise<void> {
    this.hurry()
    await Promise.all(this.underWay)
    for (const { postgres, lostAnswers } of runs(this.hub)) {
      lostAnswers.next = 0
      postgres.delay(0, 0)
    }
  }

  isDoubtful(at: number): boolean {
    const node = this.hub.nodes[at]!
    const since = this.apartSince.get(node) ?? Number.POSITIVE_INFINITY
    return performance.now() - since > doubtMillis || performance.now() < (this.doubtfulUntil.get(node) ?? 0)
  }

  private partsOf(fault: Fault, at: number): ReadonlyArray<string> {
    const all = this.hub.nodes.map((_, each) => each)
    switch (fault.do) {
      case "redisDown":
      case "redisHangs":
        return ["redis"]
      case "redisCut":
        return [`redis ${at}`]
      case "postgresCut":
      case "postgresStall":
      case "postgresSlow":
        return [`postgres ${at}`]
      case "postgresAway":
        return all.map((each) => `postgres ${each}`)
      case "isolate":
        return [`postgres ${at}`, `redis ${at}`]
      case "kill":
      case "stop":
        // a place more than there are nodes stays free, so that one node always runs
        return ["ending", `postgres ${at}`, `redis ${at}`]
      default:
        return []
    }
  }

  private pause(millis: number): Promise<unknown> {
    return Promise.race([wait(millis), this.hurried])
  }

  private apart(node: HarmedNode): void {
    this.apartSince.set(node, performance.now())
  }

  private together(at: number, node: HarmedNode): void {
    const since = this.apartSince.get(node) ?? performance.now()
    this.apartSince.delete(node)
    if (performance.now() - since < doubtMillis) return
    this.doubtfulUntil.set(node, performance.now() + doubtAfterMillis)
    this.context.doubted(at)
  }

  private async perform(fault: Fault, at: number): Promise<void> {
    const { hub } = this
    const { redis } = hub
    const node = hub.nodes[at]
    switch (fault.do) {
      case "flush":
        await redis.call("FLUSHALL").catch(() => {})
        return
      case "redisDown":
        await redis.kill()
        await this.pause(fault.millis)
        return redis.start()
      case "redisHangs":
        redis.pause()
        await this.pause(fault.millis)
        return redis.start()
      case "redisReset":
        for (const each of runs(hub)) each.redis.reset()
        return
      case "redisCut":
        node!.redis.cut()
        await this.pause(fault.millis)
        return node!.redis.mend()
      case "terminate":
        await hub.ask(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'hub'"
        )
        return
      case "lock":
        return hub.lock(fault.millis)
      case "loseAnswers":
        node!.lostAnswers.next += fault.next
        return
      case "kill":
      case "stop":
        return this.restart(fault, at)
      default:
        return this.partFromPostgres(fault, at)
    }
  }

  private async restart(fault: Extract<Fault, { do: "kill" | "stop" }>, at: number): Promise<void> {
    if (fault.do === "kill") {
      if (fault.atWrite) await this.writes(at)
      this.context.killed(at)
      this.hub.kill(at)
    } else {
      await this.hub.stop(at)
      this.context.killed(at)
    }
    await this.pause(fault.millis)
    const began = performance.now()
    await this.hub.start(at)
    this.context.started(at, began)
  }

  /** Until this node has written who is where, or does not for a while; it never hears that it is written. */
  private async writes(at: number): Promise<void> {
    const { lostAnswers } = this.hub.nodes[at]!
    const written = new Promise<void>((resolve) => {
      lostAnswers.whenLost = resolve
    })
    lostAnswers.next++
    await Promise.race([written, this.pause(writeMillisMax)])
  }

  private async partFromPostgres(
    fault: Extract<Fault, { do: "postgresCut" | "postgresStall" | "postgresSlow" | "postgresAway" | "isolate" }>,
    at: number
  ): Promise<void> {
    const node = this.hub.nodes[at]!
    switch (fault.do) {
      case "postgresSlow":
        node.postgres.delay(fault.request, fault.answer)
        await this.pause(fault.millis)
        return node.postgres.delay(0, 0)
      case "postgresAway": {
        const all = runs(this.hub)
        for (const { postgres } of all) postgres.cut()
        await this.pause(fault.millis)
        for (const { postgres } of all) postgres.mend()
        return
      }
      case "postgresStall":
        this.apart(node)
        node.postgres.stall()
        await this.pause(fault.millis)
        if (fault.late) node.postgres.release()
        else node.postgres.mend()
        return this.together(at, node)
      case "postgresCut":
      case "isolate":
        this.apart(node)
        node.postgres.cut()
        if (fault.do === "isolate") node.redis.cut()
        await this.pause(fault.millis)
        node.postgres.mend()
        if (fault.do === "isolate") node.redis.mend()
        return this.together(at, node)
    }
  }
}
