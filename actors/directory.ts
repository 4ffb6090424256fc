/**
 * Which daemon is where: on this node, in grace, or offline. Owns the routing of commands and the one record (the
 * picture) that list, status and targets are answered from; never writes to a socket (daemon.ts does) and never asks a
 * daemon for what the hub already knows.
 */
import { Context, Effect, Layer } from "effect"
import { Bus } from "../src/bus/bus.ts"
import { Config } from "../src/config.ts"
import { isId } from "../src/domain/ids.ts"
import type { Picture } from "../src/domain/picture.ts"
import {
  type CommandTimeout,
  DaemonOffline,
  DaemonSocketLost,
  NotFound,
  type Overloaded,
  type PayloadTooLarge,
  type StoreFailed
} from "../src/errors.ts"
import type { CommandType } from "../src/protocol/frames.ts"
import { Daemons } from "../src/store/daemons.ts"
import { sendCommand } from "./commands.ts"
import { Pictures } from "./pictures.ts"
import { byName, type Entry, Roster } from "./roster.ts"
import { Wheel } from "./wheel.ts"

/** One command to one daemon. Never sent twice. */
export interface Command {
  readonly accountId: string
  readonly daemonId: string
  readonly type: CommandType
  readonly payload: unknown
  readonly targetSessionId?: string
  /** How long to wait from now; the setting's command timeout (60 s) when absent, and never longer. */
  readonly deadlineMs?: number
}

/** What a daemon answered. `success: false` is a refusal of the daemon, not a fault of the hub. */
export interface CommandAnswer {
  readonly commandId: string
  readonly success: boolean
  readonly result?: unknown
  readonly error?: string
  readonly code?: string
  /** From acceptance to the answer. */
  readonly durationMs: number
}

/** How a command can fail. */
export type CommandFailure =
  | NotFound
  | DaemonOffline
  | DaemonSocketLost
  | Overloaded
  | CommandTimeout
  | PayloadTooLarge
  | StoreFailed

/** The directory. An id that is unknown, malformed or another account's is NotFound, never telling which. */
export class Directory extends Context.Service<
  Directory,
  {
    /** Sends a command and waits for its answer. Interrupting the effect ends the wait, not the command. */
    readonly command: (command: Command) => Effect.Effect<CommandAnswer, CommandFailure>
    /** The picture of one daemon: from memory while online, else as last stored. */
    readonly picture: (accountId: string, daemonId: string) => Effect.Effect<Picture, NotFound | StoreFailed>
    /** The daemons of an account that are online, those in grace included. By hostname, then id: the same array until one changes. */
    readonly connected: (accountId: string) => ReadonlyArray<Picture>
    /** The same and those that are offline, revoked ones apart. By hostname, then id. */
    readonly known: (accountId: string) => Effect.Effect<ReadonlyArray<Picture>, StoreFailed>
    /** Closes the connection with 4404; the daemon may come back. */
    readonly disconnect: (
      accountId: string,
      daemonId: string
    ) => Effect.Effect<{ readonly wasConnected: boolean }, NotFound | StoreFailed>
    /** Revokes the token for ever and closes the connection with 4403. Again: the same answer. */
    readonly revoke: (
      accountId: string,
      daemonId: string
    ) => Effect.Effect<{ readonly wasConnected: boolean }, NotFound | StoreFailed>
    /** Connections on this node, for metrics. */
    readonly size: () => number
  }
>()("hub/Directory") {
  static readonly layer = Layer.effect(
    Directory,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const { commandTimeoutMillis } = yield* Config
  const roster = yield* Roster
  const pictures = yield* Pictures
  const daemons = yield* Daemons
  const wheel = yield* Wheel
  const bus = yield* Bus

  /** What is on its way to the store is newer than the store. Who is not on the roster is not online. */
  const offline = (stored: Picture): Picture => {
    const unwritten = pictures.unwritten(stored.daemonId)
    return { ...(unwritten ?? stored), online: false, revoked: stored.revoked || unwritten?.revoked === true }
  }

  const stored = (accountId: string, daemonId: string): Effect.Effect<Picture, NotFound | StoreFailed> =>
    isId("daemon", daemonId)
      ? Effect.flatMap(daemons.picture(accountId, daemonId), (found) =>
          found === undefined ? Effect.fail(new NotFound()) : Effect.succeed(offline(found))
        )
      : Effect.fail(new NotFound())

  /** The entry of an online daemon; NotFound when it is another account's. */
  const own = (accountId: string, daemonId: string): Effect.Effect<Entry | undefined, NotFound> => {
    const entry = roster.find(daemonId)
    return entry !== undefined && entry.picture.accountId !== accountId
      ? Effect.fail(new NotFound())
      : Effect.succeed(entry)
  }

  const command = (asked: Command): Effect.Effect<CommandAnswer, CommandFailure> =>
    Effect.flatMap(own(asked.accountId, asked.daemonId), (entry): Effect.Effect<CommandAnswer, CommandFailure> => {
      if (entry === undefined) {
        return Effect.flatMap(stored(asked.accountId, asked.daemonId), () => Effect.fail(new DaemonOffline()))
      }
      if (entry.daemon === undefined) return Effect.fail(new DaemonSocketLost({}))
      const deadlineMs = Math.min(asked.deadlineMs ?? commandTimeoutMillis, commandTimeoutMillis)
      return sendCommand(entry.daemon, asked, deadlineMs, wheel.now)
    })

  const picture = (accountId: string, daemonId: string): Effect.Effect<Picture, NotFound | StoreFailed> =>
    Effect.flatMap(
      own(accountId, daemonId),
      (entry): Effect.Effect<Picture, NotFound | StoreFailed> =>
        entry === undefined ? stored(accountId, daemonId) : Effect.succeed(entry.picture)
    )

  const known = (accountId: string): Effect.Effect<ReadonlyArray<Picture>, StoreFailed> =>
    Effect.map(daemons.pictures(accountId), (all) =>
      all
        .map((stored) => roster.find(stored.daemonId)?.picture ?? offline(stored))
        .filter(({ revoked }) => !revoked)
        .sort(byName)
    )

  /** Here at once, and on every other node by the bus. */
  const order = (daemonId: string, order: "disconnect" | "revoke"): { readonly wasConnected: boolean } => {
    const wasConnected = roster.ordered(daemonId, order === "revoke" ? "revoked" : "disconnected")
    bus.publish("daemon_ordered", { daemonId, order })
    return { wasConnected }
  }

  yield* bus.subscribe("daemon_ordered", (ordered) => {
    roster.ordered(ordered.daemonId, ordered.order === "revoke" ? "revoked" : "disconnected")
  })

  return Directory.of({
    command,
    picture,
    connected: roster.of,
    known,
    disconnect: (accountId, daemonId) => Effect.map(picture(accountId, daemonId), () => order(daemonId, "disconnect")),
    revoke: (accountId, daemonId) =>
      picture(accountId, daemonId).pipe(
        Effect.andThen(daemons.revoke(accountId, daemonId)),
        // from the commit on it must end: an interrupt in between would leave a revoked daemon connected
        Effect.andThen(() => Effect.sync(() => order(daemonId, "revoke"))),
        Effect.uninterruptible
      ),
    size: roster.size
  })
})
