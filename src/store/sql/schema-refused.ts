/**
 * Why a database is not brought to this version's schema though its store works. Each ends the start and never reaches
 * the edge. Owns these failures and their sentences.
 */
import { Data } from "effect"

export type SchemaRefused = DatabaseNewer | DatabaseOlder | NodesRunning

/** A newer version of the hub has changed this database; this one must not touch it. */
export class DatabaseNewer extends Data.TaggedError("DatabaseNewer")<{
  readonly found: string
  readonly known: string
}> {
  override get message(): string {
    return `the database is from a newer version of the hub: it holds ${this.found}, this version knows up to ${this.known}`
  }
}

/** The database is of a revision whose steps this version no longer has. */
export class DatabaseOlder extends Data.TaggedError("DatabaseOlder")<{
  readonly found: string
  readonly revision: string
}> {
  override get message(): string {
    return `the database is at ${this.found}, which this version does not carry over: start revision ${this.revision} of the hub on it once, then this version`
  }
}

/** Nodes of an earlier version use this database, and this version cannot run beside them. */
export class NodesRunning extends Data.TaggedError("NodesRunning")<{
  readonly nodes: number
  readonly migration: string
}> {
  override get message(): string {
    return `${this.nodes} node(s) of an earlier version use this database, and ${this.migration} needs them stopped: stop all nodes, then start this version`
  }
}
