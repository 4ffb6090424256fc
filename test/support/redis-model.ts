/**
 * What actors/cluster/redis/records.ts asks of Redis, as a model under a clock of the test's own: the scripts once
 * more, in plain TypeScript. test/actors/cluster/redis/records.io.test.ts holds it to the real ones. Owns the model;
 * decides nothing about daemons.
 */
import { recordScripts } from "../../actors/cluster/redis/scripts.ts"
import { nodeEndedMillis, nodeOwedMillisMax } from "../../src/limits/nodes.ts"

type Answer = number | string | null | ReadonlyArray<number | string | ReadonlyArray<string>>

interface Entry {
  readonly node: string
  readonly epoch: number
  readonly snapshot: string
}

const textOf = ({ node, epoch, snapshot }: Entry): string => `${node}|${epoch}|${snapshot}`

/** The model. Names have no prefix: there is one hub in it. */
export class RedisModel {
  private readonly now: () => number
  private records = new Map<string, Map<string, Entry>>()
  private held = new Map<string, Set<string>>()
  private nodes = new Set<string>()
  private values = new Map<string, { readonly value: string; readonly until: number }>()

  constructor(now: () => number) {
    this.now = now
  }

  /** All it held is gone. */
  flush(): void {
    this.records = new Map()
    this.held = new Map()
    this.nodes = new Set()
    this.values = new Map()
  }

  /** Whether it knows that a daemon without a record was online nowhere. */
  isSettled(): boolean {
    return this.get("settled") !== undefined
  }

  /** Who holds a daemon. */
  holder(account: string, id: string): string | undefined {
    return this.record(account, id)?.node
  }

  /** Runs a command as the hub gives it; names begin with `prefix`. */
  call(prefix: string, command: string, args: ReadonlyArray<string | number>): Answer {
    const name = (at: number): string => String(args[at]).slice(prefix.length).replace("{machines}:", "")
    switch (command) {
      case "EVALSHA":
        return this.script(String(args[0]), args.slice(3).map(String))
      case "SET": {
        const life = args.includes("PX") ? Number(args[args.indexOf("PX") + 1]) : Number.POSITIVE_INFINITY
        if (args.includes("NX") && this.get(name(0)) !== undefined) return null
        this.set(name(0), String(args[1]), life)
        return "OK"
      }
      case "GET":
        return this.get(name(0)) ?? null
      case "DEL":
        return this.values.delete(name(0)) ? 1 : 0
      case "EXISTS":
        return this.get(name(0)) === undefined ? 0 : 1
      case "HGET": {
        const found = this.record(name(0).slice("account:".length), String(args[1]))
        return found === undefined ? null : textOf(found)
      }
      case "SMEMBERS":
        return [...(this.held.get(name(0).slice("held:".length)) ?? [])]
      case "HVALS":
        return [...(this.records.get(name(0).slice("account:".length))?.values() ?? [])].map(textOf)
      default:
        throw new Error(`the model knows no ${command}`)
    }
  }

  private get(name: string): string | undefined {
    const found = this.values.get(name)
    return found !== undefined && found.until > this.now() ? found.value : undefined
  }

  private set(name: string, value: string, life: number): void {
    this.values.set(name, { value, until: this.now() + life })
  }

  private last(id: string): number {
    return Number(this.get(`ended:${id}`) ?? 0)
  }

  private record(account: string, id: string): Entry | undefined {
    return this.records.get(account)?.get(id)
  }

  private heldBy(node: string): Set<string> {
    const found = this.held.get(node) ?? new Set()
    this.held.set(node, found)
    return found
  }

  private write(account: string, id: string, entry: Entry): void {
    const all = this.records.get(account) ?? new Map<string, Entry>()
    this.records.set(account, all.set(id, entry))
    this.heldBy(entry.node).add(`${account} ${id}`)
  }

  private script(sha: string, [me, ...args]: ReadonlyArray<string>): Answer {
    const rows = Array.from({ length: Math.floor(args.length / 4) }, (_, at) => args.slice(4 * at, 4 * at + 4))
    switch (sha) {
      case recordScripts.take.sha:
        return this.take(me!, args as [string, string, string, string, string, string, string])
      case recordScripts.release.sha:
        return this.release(me!, args as [string, string, string, string, string, string])
      case recordScripts.told.sha:
        return this.told(me!, args as [string, string, string])
      case recordScripts.snapshots.sha:
        for (const [account, id, epoch, snapshot] of rows) {
          const { node, epoch: old } = this.record(account!, id!) ?? {}
          if (node === me && old === Number(epoch)) {
            this.write(account!, id!, { node: me!, epoch: old!, snapshot: snapshot! })
          }
        }
        return 0
      case recordScripts.renew.sha:
        return this.renew(me!, Number(args[0]), args[1]!)
      case recordScripts.adopt.sha:
        return this.adopt(me!, args[0]!, Number(args[1]))
      case recordScripts.recover.sha:
        return rows.map(([account, id, epoch, snapshot]) => {
          if (this.record(account!, id!) !== undefined || this.last(id!) > 0) return 0
          this.write(account!, id!, { node: me!, epoch: Number(epoch), snapshot: snapshot! })
          return 1
        })
      default:
        throw new Error("the model knows no such script")
    }
  }

  private hasSaid(me: string): boolean {
    const partly = [...this.nodes].some((node) => this.get(`lease:${node}`) === "partly")
    return !partly && this.get(`lease:${me}`) !== undefined
  }

  private owes(id: string): { readonly node: string; readonly epoch: number; readonly what: string } | undefined {
    const [node, epoch, what] = this.get(`owed:${id}`)?.split("|") ?? []
    return node === undefined ? undefined : { node, epoch: Number(epoch), what: what! }
  }

  private owe(id: string, node: string, epoch: number, what: string): void {
    this.set(`owed:${id}`, `${node}|${epoch}|${what}`, nodeEndedMillis)
  }

  private settle(id: string): void {
    this.values.delete(`owed:${id}`)
  }

  private isForgotten(id: string, ower: string): boolean {
    const left = this.values.get(`owed:${id}`)!.until - this.now()
    return left <= nodeEndedMillis - nodeOwedMillisMax && this.get(`lease:${ower}`) === "wholly"
  }

  private close(account: string, id: string, node: string, epoch: number): void {
    this.records.get(account)?.delete(id)
    this.heldBy(node).delete(`${account} ${id}`)
    this.set(`ended:${id}`, String(epoch), nodeEndedMillis)
  }

  private take(
    me: string,
    [account, id, given, how, fresh, was, gone]: [string, string, string, string, string, string, string]
  ): Answer {
    const epoch = Number(given)
    const before = this.record(account, id)
    const over = before === undefined ? this.last(id) : 0
    const text = before === undefined ? "" : textOf(before)
    const owed = this.owes(id)
    if ((before?.epoch ?? over) > epoch) {
      if (owed?.node !== me || owed.epoch > epoch || how !== "assert" || owed.what !== "connect") {
        return ["fenced", text, ""]
      }
      if (before === undefined) this.settle(id)
      else this.owe(id, before.node, before.epoch, owed.what)
      return ["fenced", text, ""]
    }
    let word =
      before !== undefined ? "moved" : over === epoch ? "ended" : over === 0 && !this.isSettled() ? "unknown" : "first"
    if (word === "unknown") {
      if (was === "" || (was !== "here" && !this.hasSaid(me))) return [word, "", ""]
      word = was === "offline" ? "first" : "moved"
    }
    if (before !== undefined && before.node !== me) this.heldBy(before.node).delete(`${account} ${id}`)
    if (before === undefined) this.values.delete(`ended:${id}`)
    this.write(account, id, { node: me, epoch, snapshot: fresh !== "" ? fresh : (before?.snapshot ?? "") })
    if (before !== undefined && owed !== undefined) {
      const mine = owed.node === me && (owed.epoch === epoch || how === "assert")
      const overdue = owed.node === gone || (how === "assert" && this.isForgotten(id, owed.node))
      if (owed.what === "connect" && (mine || overdue)) word = "first"
      else if (overdue) this.settle(id)
      else return ["pending", text, owed.node]
    }
    if (word === "first" || word === "ended") this.owe(id, me, epoch, "connect")
    return [word, text, ""]
  }

  private release(
    me: string,
    [account, id, given, told, fresh, was]: [string, string, string, string, string, string]
  ): Answer {
    const epoch = Number(given)
    const before = this.record(account, id)
    const owed = this.owes(id)
    if (before !== undefined && before.epoch > epoch) {
      if (owed?.node === me && owed.epoch <= epoch) {
        if (owed.what === "connect" && told === "") this.owe(id, before.node, before.epoch, owed.what)
        else this.settle(id)
      }
      return [0, ""]
    }
    if (owed?.what === "end" && owed.node !== me) {
      if (before?.node === me) this.close(account, id, me, epoch)
      return [0, ""]
    }
    if (before === undefined) {
      const over = this.last(id)
      if (over > 0 && over < epoch) this.set(`ended:${id}`, given, nodeEndedMillis)
      if (over > 0 || this.isSettled()) return [0, ""]
      if (was !== "online" || !this.hasSaid(me)) return [-1, ""]
    }
    if (before !== undefined && before.node !== me) this.heldBy(before.node).delete(`${account} ${id}`)
    const node = before?.node ?? ""
    if (owed?.what === "connect" && !(owed.node === me && told !== "")) {
      this.close(account, id, me, epoch)
      this.settle(id)
      return [0, node]
    }
    this.write(account, id, { node: me, epoch, snapshot: fresh })
    this.owe(id, me, epoch, "end")
    return [1, node]
  }

  private told(me: string, [account, id, given]: [string, string, string]): Answer {
    const owed = this.owes(id)
    if (owed?.node !== me || owed.epoch !== Number(given)) return 0
    this.settle(id)
    if (owed.what === "connect") return 1
    const { node, epoch } = this.record(account, id) ?? {}
    if (node === me && epoch === Number(given)) this.close(account, id, me, epoch)
    else if (node !== undefined) this.owe(id, node, epoch!, "connect")
    return 1
  }

  private renew(me: string, life: number, word: string): Answer {
    this.nodes.add(me)
    const had = this.get(`lease:${me}`) !== undefined
    this.set(`lease:${me}`, had ? word : "partly", life)
    const others = [...this.nodes].filter((node) => node !== me)
    const lease = (node: string): string | undefined => this.get(`lease:${node}`)
    return [
      had ? 1 : 0,
      this.isSettled() ? 1 : 0,
      others.some((node) => (lease(node) ?? "wholly") !== "wholly") ? 0 : 1,
      others.filter((node) => lease(node) !== undefined),
      others.filter((node) => lease(node) === undefined)
    ]
  }

  private adopt(me: string, dead: string, most: number): Answer {
    if (this.get(`lease:${dead}`) !== undefined) return []
    for (;;) {
      const some = [...this.heldBy(dead)].slice(0, most)
      if (some.length === 0) {
        this.nodes.delete(dead)
        return []
      }
      const taken: Array<string> = []
      for (const entry of some) {
        this.heldBy(dead).delete(entry)
        const [account, id] = entry.split(" ") as [string, string]
        const before = this.record(account, id)
        if (before?.node !== dead) continue
        this.write(account, id, { ...before, node: me })
        const owed = this.owes(id)
        if (owed?.node === dead && owed.what === "end") this.settle(id)
        taken.push(textOf(before))
      }
      if (taken.length > 0) return taken
    }
  }
}
