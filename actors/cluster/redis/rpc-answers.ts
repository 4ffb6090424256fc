/**
 * What this node answers to the questions of others about its daemons. Owns the port to those daemons, which
 * local-daemons.ts implements; rpc-server.ts answers commands and watches, which take time.
 */
import type { Effect } from "effect"
import type { Command, CommandAnswer, CommandFailure, Moving } from "../../../src/domain/command/command.ts"
import type { AgentWatch } from "../../../src/domain/daemon/agent-watch.ts"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import type { Answer, Question } from "./rpc-messages.ts"

/** The daemons of this node. */
export interface LocalDaemons {
  /** Undefined: the daemon is not here. Moving: it leaves, or has left, because this node drains. */
  readonly command: (command: Command) => Effect.Effect<CommandAnswer, CommandFailure> | Moving | undefined
  /** Says whether it had a live connection. */
  readonly order: (daemonId: string, reason: "disconnected" | "revoked") => boolean
  readonly snapshot: (accountId: string, daemonId: string) => Snapshot | undefined
  readonly of: (accountId: string) => ReadonlyArray<Snapshot>
  /** The snapshot once the agent is another, or as it is when the time is over. Undefined: the daemon is not here. */
  readonly watch: (watch: AgentWatch, millis: number) => Effect.Effect<Snapshot | undefined>
}

/** What a node says of one daemon. */
export const answerOfSnapshot = (snapshot: Snapshot | undefined): Answer =>
  snapshot === undefined ? { is: "elsewhere" } : { is: "snapshots", snapshots: [snapshot] }

/** What a node says of its daemons, of which only an order changes anything. */
export const answerOfDaemons = (
  here: LocalDaemons,
  question: Exclude<Question, { ask: "command" | "watch" }>
): Answer => {
  switch (question.ask) {
    case "order":
      return { is: "ordered", wasConnected: here.order(question.daemonId, question.reason) }
    case "snapshot":
      return answerOfSnapshot(here.snapshot(question.accountId, question.daemonId))
    case "snapshots":
      return { is: "snapshots", snapshots: here.of(question.accountId) }
  }
}
