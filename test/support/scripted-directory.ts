/**
 * A directory without daemons behind it: snapshots and answers a test sets, commands it can look at. Owns the script;
 * the ownership rule is the real one in miniature (another account's id is NotFound).
 */
import { Effect, Layer } from "effect"
import { DaemonFinding } from "../../actors/commands/daemon-finding.ts"
import type { Directory } from "../../actors/commands/directory.ts"
import { Directory as DirectoryTag } from "../../actors/commands/directory.ts"
import { FleetTagging } from "../../actors/commands/fleet-tagging.ts"
import { StoredCommands } from "../../actors/commands/stored-commands.ts"
import { Rollouts } from "../../actors/daemon-versions/rollouts.ts"
import { WorkerThread } from "../../actors/runtime/worker-thread.ts"
import { daemonRoutes } from "../../http/routes/daemons.ts"
import { shortcutRoutes } from "../../http/routes/shortcuts.ts"
import { layerMemory } from "../../src/bus/memory.ts"
import { Config, defaultSettings } from "../../src/config.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { type Scope, sessionScopes } from "../../src/domain/account/scopes.ts"
import type { Command, CommandAnswer, CommandFailure } from "../../src/domain/command/command.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { NotFound } from "../../src/errors.ts"
import { Catalog } from "../../src/registry/catalog.ts"
import { Daemons } from "../../src/store/daemons/daemons.ts"
import { workerAtOnce } from "./immediate-worker.ts"

/** What the daemon says to a command. */
export type Said = { readonly result?: unknown; readonly error?: string; readonly code?: string } | CommandFailure

/** The script. */
export interface Scripted {
  snapshots: ReadonlyArray<Snapshot>
  says: (command: Command) => Said
  readonly sent: Array<Command>
}

/** A script in which every daemon answers nothing in particular. */
export const script = (snapshots: ReadonlyArray<Snapshot>): Scripted => ({ snapshots, says: () => ({}), sent: [] })

const answer = (said: Said): Effect.Effect<CommandAnswer, CommandFailure> => {
  if ("_tag" in said) return Effect.fail(said)
  return Effect.succeed({ commandId: "cmd_1", durationMs: 7, success: said.error === undefined, ...said })
}

const unscripted = () => Effect.die("nobody scripted this")

const directory = (told: Scripted): Directory["Service"] => {
  const find = (accountId: string, daemonId: string) => {
    const found = told.snapshots.find((one) => one.daemonId === daemonId && one.accountId === accountId)
    return found === undefined ? Effect.fail(new NotFound()) : Effect.succeed(found)
  }
  return {
    command: (command) =>
      Effect.flatMap(find(command.accountId, command.daemonId), () => {
        told.sent.push(command)
        return answer(told.says(command))
      }),
    snapshot: find,
    watch: (watch) => Effect.map(find(watch.accountId, watch.daemonId), (found) => ({ snapshot: found, ended: true })),
    endWatches: Effect.void,
    online: (accountId) => Effect.sync(() => told.snapshots.filter((one) => one.accountId === accountId && one.online)),
    list: ({ accountId, offline }) =>
      Effect.succeed({
        snapshots: told.snapshots.filter((one) => one.accountId === accountId && (offline || one.online)),
        next: undefined
      }),
    disconnect: unscripted,
    revoke: unscripted,
    remove: unscripted,
    size: () => 0
  }
}

/** Nothing outlives its call here. */
const neverStarted = new Proxy({} as StoredCommands["Service"], {
  get: (_, member) => () => Effect.die(`nobody scripted ${String(member)}`)
})

/** The routes of daemons and agents over a script; the registry knows `aider` to be an IDE. */
export const scriptedRoutes = async (told: Scripted) => {
  return Effect.runPromise(
    Effect.all({ daemons: daemonRoutes, shortcuts: shortcutRoutes }).pipe(
      Effect.provideService(DirectoryTag, directory(told)),
      Effect.provide(Layer.mock(Daemons, {})),
      Effect.provide(layerMemory),
      Effect.provideService(WorkerThread, workerAtOnce),
      Effect.provideService(Rollouts, {
        round: Effect.void,
        states: () => Effect.succeed(new Map()),
        fresh: () => undefined
      }),
      Effect.provideService(StoredCommands, neverStarted),
      Effect.provideService(FleetTagging, { change: unscripted }),
      Effect.provideService(DaemonFinding, { find: () => unscripted() }),
      Effect.provide(Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32) })),
      Effect.provide(Layer.mock(Catalog, { category: (type) => Effect.succeed(type === "aider" ? "ide" : undefined) }))
    )
  )
}

/** A caller by API key. */
export const keyOf = (accountId: string, scopes: ReadonlyArray<Scope> = sessionScopes): Principal => ({
  accountId,
  plan: "pro",
  role: "owner",
  admin: false,
  scopes: new Set(scopes),
  credential: { kind: "key", keyId: `key of ${accountId}` }
})
