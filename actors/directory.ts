/**
 * Which daemon is where: on this node, in grace, or offline. Owns the routing of commands and the one record (the
 * picture) that list, status and targets are answered from; never writes to a socket (daemon.ts does) and never asks a
 * daemon for what the hub already knows.
 */
import { Context, Effect, Layer } from "effect"
import { Bus } from "../src/bus/bus.ts"
import { Config } from "../src/config.ts"
import { deferred } from "../src/direct.ts"
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
import { type Moving, moving, whileMoving } from "./moving.ts"
import { Others } from "./others.ts"
import { Pictures } from "./pictures.ts"
import { byName, type Entry, isMoving, Roster } from "./roster.ts"
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
    /** The daemons of an account that are online, on any node. Absent where this node is the whole hub. */
    readonly online?: ((accountId: string) => Effect.Effect<ReadonlyArray<Picture>>) | undefined
    /** Those on this node, in grace or not. By hostname, then id: the same array until one changes. */
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

/** By id: those of other nodes, under those of this one. */
const merged = (elsewhere: ReadonlyArray<Picture>, here: ReadonlyArray<Picture>): ReadonlyMap<string, Picture> =>
  new Map([...elsewhere, ...here].map((one) => [one.daemonId, one]))

const make = Effect.gen(function* () {
  const { commandTimeoutMillis } = yield* Config
  const roster = yield* Roster
  const pictures = yield* Pictures
  const daemons = yield* Daemons
  const wheel = yield* Wheel
  const others = yield* Others
  const bus = yield* Bus
  const waiting = whileMoving(wheel.now)

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
    deferred((): Effect.Effect<CommandAnswer, CommandFailure> => {
      const now = attempt(asked)
      return now === undefined ? waiting(Effect.suspend(() => attempt(asked) ?? elsewhere(asked))) : now
    })

  /** At once, to a machine that is here and stays; undefined where it must be looked for. */
  const attempt = (asked: Command): Effect.Effect<CommandAnswer, CommandFailure> | undefined => {
    const entry = roster.find(asked.daemonId)
    if (entry === undefined) return undefined
    if (entry.picture.accountId !== asked.accountId) return Effect.fail(new NotFound())
    return isMoving(entry) ? undefined : toEntry(entry, asked, deadlineOf(asked))
  }

  const elsewhere = (asked: Command): Effect.Effect<CommandAnswer | Moving, CommandFailure> => {
    // here, and about to leave: nobody else has it yet
    if (roster.find(asked.daemonId) !== undefined) return Effect.succeed(moving)
    return Effect.flatMap(
      others.command(asked, deadlineOf(asked)),
      (answer): Effect.Effect<CommandAnswer | Moving, CommandFailure> =>
        answer === undefined ? absent(asked) : Effect.succeed(answer)
    )
  }

  const deadlineOf = ({ deadlineMs = commandTimeoutMillis }: Command): number =>
    Math.min(deadlineMs, commandTimeoutMillis)

  const toEntry = (entry: Entry, asked: Command, deadlineMs: number): Effect.Effect<CommandAnswer, CommandFailure> =>
    entry.daemon === undefined
      ? Effect.fail(new DaemonSocketLost({}))
      : sendCommand(entry.daemon, asked, deadlineMs, wheel.now)

  /** Online nowhere that can be asked; while no other node can be, the store's word is the best there is. */
  const absent = ({ accountId, daemonId }: Command): Effect.Effect<never, CommandFailure> =>
    isId("daemon", daemonId)
      ? Effect.flatMap(daemons.picture(accountId, daemonId), (found): Effect.Effect<never, CommandFailure> => {
          if (found === undefined) return Effect.fail(new NotFound())
          return Effect.fail(others.blind() && found.online ? new DaemonSocketLost({}) : new DaemonOffline())
        })
      : Effect.fail(new NotFound())

  const picture = (accountId: string, daemonId: string): Effect.Effect<Picture, NotFound | StoreFailed> =>
    Effect.flatMap(
      own(accountId, daemonId),
      (entry): Effect.Effect<Picture, NotFound | StoreFailed> =>
        entry === undefined
          ? Effect.flatMap(others.find(accountId, daemonId), (found) =>
              found === undefined ? stored(accountId, daemonId) : Effect.succeed(found)
            )
          : Effect.succeed(entry.picture)
    )

  const known = (accountId: string): Effect.Effect<ReadonlyArray<Picture>, StoreFailed> =>
    Effect.map(Effect.all([daemons.pictures(accountId), others.of(accountId)]), ([all, elsewhere]) => {
      const online = merged(elsewhere, roster.of(accountId))
      return all
        .map((stored) => online.get(stored.daemonId) ?? offline(stored))
        .filter(({ revoked }) => !revoked)
        .sort(byName)
    })

  /** Here at once, and on every other node by the bus. */
  const order = (accountId: string, daemonId: string, order: "disconnect" | "revoke") =>
    Effect.suspend(() => {
      const reason = order === "revoke" ? "revoked" : "disconnected"
      const wasHere = roster.ordered(daemonId, reason)
      // asked first, as it answers; told to all then, for whoever remembers the token
      const asked = wasHere ? Effect.succeed(true) : others.order(accountId, daemonId, reason)
      return Effect.map(asked, (wasConnected): { readonly wasConnected: boolean } => {
        bus.publish("daemon_ordered", { daemonId, order })
        return { wasConnected }
      })
    })

  yield* bus.subscribe("daemon_ordered", (ordered) => {
    roster.ordered(ordered.daemonId, ordered.order === "revoke" ? "revoked" : "disconnected")
  })

  others.attachDirectory({
    command: (asked) => {
      const entry = roster.find(asked.daemonId)
      if (entry === undefined || entry.picture.accountId !== asked.accountId) return undefined
      return isMoving(entry) ? moving : toEntry(entry, asked, asked.deadlineMs ?? commandTimeoutMillis)
    },
    order: roster.ordered
  })

  return Directory.of({
    command,
    picture,
    connected: roster.of,
    online: others.none
      ? undefined
      : (accountId) =>
          Effect.map(others.of(accountId), (elsewhere) => {
            const here = roster.of(accountId)
            return elsewhere.length === 0 ? here : [...merged(elsewhere, here).values()].sort(byName)
          }),
    known,
    disconnect: (accountId, daemonId) =>
      Effect.flatMap(picture(accountId, daemonId), () => order(accountId, daemonId, "disconnect")),
    revoke: (accountId, daemonId) =>
      picture(accountId, daemonId).pipe(
        Effect.andThen(daemons.revoke(accountId, daemonId)),
        // from the commit on it must end: an interrupt in between would leave a revoked daemon connected
        Effect.andThen(() => order(accountId, daemonId, "revoke")),
        Effect.uninterruptible
      ),
    size: roster.size
  })
})
