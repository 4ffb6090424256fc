/**
 * Local connections to register again, and which of those have an unknown announcement state. Owns both sets;
 * registers nothing.
 */
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import { Waiting } from "./waiting.ts"

type Connection = Pick<Snapshot, "daemonId" | "epoch">

/** What is in doubt. */
export class Doubts {
  private readonly all = new Waiting<Connection>()
  private readonly questions = new Waiting<Connection>()

  /** It is to be said again. */
  add(one: Connection): void {
    this.all.add(one, one)
  }

  /** And nobody can say whether its time online was told to begin. */
  question(one: Connection): void {
    this.all.add(one, one)
    this.questions.add(one, one)
  }

  /** Neither. */
  remove(one: Connection): void {
    this.all.remove(one)
    this.questions.remove(one)
  }

  /** Whether any connection of it is in question. */
  isQuestioned(daemonId: string): boolean {
    return this.questions.hasDaemon(daemonId)
  }

  list(): ReadonlyArray<Connection> {
    return this.all.list()
  }
}
