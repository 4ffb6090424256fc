/** What nodes ask each other and answer, as JSON. Owns the shapes and the failures that keep their name on the way. */
import type { Command, CommandAnswer, CommandFailure, Moving } from "../../../src/domain/command/command.ts"
import type { AgentWatch } from "../../../src/domain/daemon/agent-watch.ts"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import type { LogAsked, LogRefusal } from "../../../src/domain/log/log-listener.ts"
import {
  CommandTimeout,
  DaemonOffline,
  DaemonSocketLost,
  NotFound,
  Overloaded,
  PayloadTooLarge,
  StoreFailed
} from "../../../src/errors.ts"

/** A log is asked for, and again under the same id as long as it is read. `deltas`: what is wanted has changed. */
export type LogQuestion =
  | { readonly ask: "log"; readonly log: LogAsked }
  | { readonly ask: "log again"; readonly deltas?: boolean }

/** What comes back, many times under one id. `sent`: so many frames were sent, with this one. */
export type LogAnswer =
  | { readonly is: "log frame"; readonly frame: Readonly<Record<string, unknown>>; readonly sent: number }
  | { readonly is: "log renewed"; readonly sent: number }
  | { readonly is: "log doubt" | "log gone" }
  | { readonly is: "log refused"; readonly why: LogRefusal }

/** A command whose payload is its text. */
export type Written = Command & { readonly payloadText: string }

export type Question =
  | LogQuestion
  | { readonly ask: "command"; readonly command: Command }
  /** The same with a payload that is written already: its text is passed on to the daemon, and not parsed again. */
  | { readonly ask: "written command"; readonly command: Written }
  | { readonly ask: "order"; readonly daemonId: string; readonly reason: "disconnected" | "revoked" }
  | { readonly ask: "snapshot"; readonly accountId: string; readonly daemonId: string }
  | { readonly ask: "snapshots"; readonly accountId: string }
  /** Answered once the agent has changed since the caller saw it, or the time is over. */
  | { readonly ask: "watch"; readonly watch: AgentWatch; readonly millis: number }

/**
 * What comes back. Nothing was done when it is `elsewhere` (not here any more), `moving` (sent away, or about to be),
 * or `unheard`: the request surely did not arrive, or came to a node that is closed but for its Redis connection.
 */
export type Answer =
  | LogAnswer
  | { readonly is: "elsewhere" | "moving" | "unheard" }
  | { readonly is: "answered"; readonly answer: CommandAnswer }
  | { readonly is: "failed"; readonly tag: string; readonly facts: object }
  | { readonly is: "ordered"; readonly wasConnected: boolean }
  | { readonly is: "snapshots"; readonly snapshots: ReadonlyArray<Snapshot> }

/** A question as a message: itself, or the name of its text. */
export interface RequestMessage {
  readonly id: string
  readonly question?: Question
  readonly at?: string
}

/**
 * An answer as a message: itself, the name of its text, or itself but for the result, whose text has that name; or none
 * can come.
 */
export interface ResponseMessage {
  readonly id: string
  readonly answer?: Answer
  readonly at?: string
  readonly result?: string
  /** What parsing it costs who asked (src/domain/limits/cost.ts); absent: nothing to speak of. */
  readonly cost?: number
}

/** A command that no daemon got. */
export type Undone = "elsewhere" | Moving

const failures = { CommandTimeout, DaemonOffline, DaemonSocketLost, NotFound, Overloaded, PayloadTooLarge } as const

/** Whether a failure keeps its name on the way. */
export const isKnown = (tag: string): tag is keyof typeof failures => Object.hasOwn(failures, tag)

/** A defect on the node that was asked. It has no known name, so the asking node reports it as internal. */
export const defect = "Defect"

type Failing = new (facts: object) => CommandFailure

/** A tag that this version does not know is a failure of the other node. */
export const failureOf = (tag: string, facts: object): CommandFailure => {
  const Failed = isKnown(tag) ? (failures[tag] as Failing) : undefined
  return Failed === undefined ? new StoreFailed({ operation: "ask another node", cause: tag }) : new Failed(facts)
}
