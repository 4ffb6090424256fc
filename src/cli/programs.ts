/** What the command line is given by the composition root, because src may not import it. Owns the port only. */
import type { Effect, Scope } from "effect"
import type { StoreServices } from "../admin/services.ts"
import type { Settings } from "../config.ts"
import type { IntegratorWord } from "./integrator-words.ts"

/** What is done in a hub that listens at this address and is not ready yet. */
export type StartupHook = (address: string) => Effect.Effect<void, unknown, StoreServices | Scope.Scope>

/** How a hub serves. */
export interface ServeOptions {
  /** Other processes of this machine have the same port. */
  readonly sharedPort?: boolean
  /** Told the address once the hub serves, instead of a line in the log. */
  readonly told?: (address: string) => Effect.Effect<void>
  /**
   * Asked once it drains: whether another process has taken its place on the port, which then is as ready as before.
   */
  readonly replaced?: () => boolean
}

/** The programs behind the commands. */
export interface Parts {
  /** Runs a hub until it is interrupted; `beside` runs in the hub's own scope once it listens, before it is ready. */
  readonly serve: (settings: Settings, beside: StartupHook, how?: ServeOptions) => Effect.Effect<never, unknown>
  readonly version: string
  readonly daemon: (args: ReadonlyArray<string>) => Promise<number>
  readonly demo: (args: ReadonlyArray<string>) => Promise<number>
  readonly integrator: (command: IntegratorWord, args: ReadonlyArray<string>) => Promise<number>
  readonly registry: (args: ReadonlyArray<string>) => Promise<number>
  readonly bench: (args: ReadonlyArray<string>) => Promise<number>
}
