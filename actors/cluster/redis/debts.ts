/**
 * The announcements that this node must make: connects and disconnects that Redis assigned to it. Owns those that are
 * made but not confirmed to Redis, and those that wait for the handshake of their connection. Redis stores the others
 * and assigns each once.
 */
import { nodeWaitingMax } from "../../../src/limits/nodes.ts"
import { count } from "../../../src/runtime/metrics.ts"
import type { Connected, Records } from "./records.ts"
import { Waiting } from "./waiting.ts"

/** What is owed. */
export class Debts {
  private readonly records: Pick<Records, "told">
  /** By daemon: told, and Redis does not know that yet. */
  private readonly paid = new Map<string, Connected>()
  private readonly firsts = new Waiting<Connected>()

  constructor(records: Pick<Records, "told">) {
    this.records = records
  }

  /** Its connect is to be told when it is welcomed. */
  expect(one: Connected): void {
    this.firsts.add(one, one)
  }

  /** Whether that was so; it is not any more. */
  collect(one: Pick<Connected, "daemonId" | "epoch">): boolean {
    return this.firsts.remove(one)
  }

  /** Nothing is: Redis may have given the word to others. */
  expectNothing(): void {
    for (const one of this.firsts.list()) this.firsts.remove(one)
  }

  /** Whether this node has told the connect of this time online, and Redis may not know it yet. */
  isPaid({ daemonId, epoch }: Pick<Connected, "daemonId" | "epoch">): boolean {
    const paid = this.paid.get(daemonId)
    return paid !== undefined && paid.epoch <= epoch
  }

  /** It has been told just now. Rejects when Redis does not hear that; `sayAgain` says it again. */
  async pay({ accountId, daemonId, epoch }: Connected): Promise<void> {
    const one = { accountId, daemonId, epoch }
    if (this.paid.size < nodeWaitingMax || this.paid.has(daemonId)) this.paid.set(daemonId, one)
    else count("hub_bus_dropped_total")
    await this.say(one)
  }

  private async say(one: Connected): Promise<void> {
    await this.records.told(one)
    if (this.paid.get(one.daemonId) === one) this.paid.delete(one.daemonId)
  }

  /** Says again what Redis has not heard. Rejects when it does not hear it now. */
  async sayAgain(): Promise<void> {
    for (const one of [...this.paid.values()]) await this.say(one)
  }
}
