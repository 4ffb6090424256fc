/**
 * Durable commands: those that go on when the connection is lost. Owns which run, and the results that the hub has not
 * taken; runs and sends nothing itself.
 */
import { durableCommandsMax, storedResultBytesMax } from "./limits.ts"
import { jsonBytes } from "./log-event.ts"
import type { CommandResult } from "./wire.ts"

/** A result and its bytes; undefined while the command runs. */
type Finished = { readonly result: CommandResult; readonly bytes: number } | undefined

/** What became of a command that was to begin. */
export type Begun = "begun" | "known" | "full"

/** The durable commands of one daemon. */
export class DurableCommands {
  readonly #commands = new Map<string, Finished>()
  #bytes = 0

  /** A command begins, unless it is here already or there are too many. */
  begin(id: string): Begun {
    if (this.#commands.has(id)) return "known"
    if (this.#commands.size >= durableCommandsMax) return "full"
    this.#commands.set(id, undefined)
    return "begun"
  }

  /** Keeps a result until the hub has taken it. Gives back what is kept: of one too many only that it is not. */
  finish(result: CommandResult): CommandResult {
    const bytes = jsonBytes(result)
    const isRoom = this.#bytes + bytes <= storedResultBytesMax
    const kept = isRoom ? result : notStored(result.id)
    this.#commands.set(result.id, { result: kept, bytes: isRoom ? bytes : 0 })
    if (isRoom) this.#bytes += bytes
    return kept
  }

  /** It never ran. */
  forget(id: string): void {
    this.#commands.delete(id)
  }

  /** The hub has these results. A command that still runs is none of them. */
  acknowledged(ids: ReadonlyArray<string>): void {
    for (const id of ids) {
      const finished = this.#commands.get(id)
      if (finished === undefined) continue
      this.#bytes -= finished.bytes
      this.#commands.delete(id)
    }
  }

  /** Whether a command runs, or its result is kept. */
  has(id: string): boolean {
    return this.#commands.has(id)
  }

  /** Those that run, and those whose result is kept. */
  get ids(): ReadonlyArray<string> {
    return [...this.#commands.keys()]
  }

  /** The results that are kept, oldest command first. */
  get results(): ReadonlyArray<CommandResult> {
    return [...this.#commands.values()].flatMap((finished) => (finished === undefined ? [] : [finished.result]))
  }
}

const notStored = (id: string): CommandResult => ({
  id,
  success: false,
  error: `the command was done, but ${storedResultBytesMax} bytes of results wait for the hub already and this one found no room`,
  code: "result_not_kept"
})
