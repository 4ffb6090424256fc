/**
 * Answers commands. Owns which result goes out on which connection: an ordinary one on that of its command or never, a
 * durable one until the hub has it. commands.ts runs them.
 */
import type { Commands } from "./commands.ts"
import { DurableCommands } from "./durable-commands.ts"
import { durableCommandsMax } from "./limits.ts"
import type { Log } from "./log.ts"
import { type Admission, type Command, type CommandResult, frameText } from "./wire.ts"

/** What answers go out on. */
export interface Line {
  /** Number of the present connection. */
  readonly connection: number
  /** Undefined while not connected. */
  readonly admission: Admission | undefined
  readonly send: (text: string) => boolean
}

/** What it needs of its daemon. */
export interface AnswerMeans {
  readonly commands: Commands
  readonly line: Line
  readonly log: Log
  /** A result is about to go out. */
  readonly before: () => void
}

/** The answers of one daemon. */
export class Answers {
  readonly #means: AnswerMeans
  readonly #durable = new DurableCommands()

  constructor(means: AnswerMeans) {
    this.#means = means
  }

  /** Durable commands that run or whose result the hub has not taken. */
  get ids(): ReadonlyArray<string> {
    return this.#durable.ids
  }

  /** Whether a command is under way that would lose its caller with the connection. */
  get busy(): boolean {
    return this.#means.commands.running.some((id) => !this.#durable.has(id))
  }

  /** Runs a command and answers it. */
  async answer(command: Command): Promise<void> {
    const { commands, line, log } = this.#means
    const begun = command.durable ? this.#durable.begin(command.id) : "begun"
    if (begun === "known") return log("durable command known, not run again", { id: command.id, type: command.type })
    if (begun === "full") return this.#send(refusedFull(command.id))
    const connection = line.connection
    const result = await commands.run(command)
    if (command.durable) this.#finished(command.id, result)
    else if (result !== undefined && connection === line.connection && line.admission !== undefined) this.#send(result)
    else if (result !== undefined) log("the hub that asked is gone, result dropped", { id: command.id })
  }

  /** Without a result the id was run long ago, and its result was taken. */
  #finished(id: string, result: CommandResult | undefined): void {
    if (result === undefined) return this.#durable.forget(id)
    this.#send(this.#durable.finish(result))
  }

  #send(result: CommandResult): void {
    const { line, before } = this.#means
    const { admission } = line
    if (admission === undefined) return
    before()
    const text = frameText("command_result", result)
    const bytes = Buffer.byteLength(text)
    if (bytes <= admission.resultBytes) return void line.send(text)
    const error = `the result has ${bytes} bytes and the hub takes ${admission.resultBytes}`
    line.send(frameText("command_result", { id: result.id, success: false, error, code: "result_too_large" }))
  }

  /** A new connection: everything that the hub has not taken goes out again. */
  again(): void {
    for (const result of this.#durable.results) this.#send(result)
  }

  /** The hub has these results. */
  acknowledged(ids: ReadonlyArray<string>): void {
    this.#durable.acknowledged(ids)
  }
}

const refusedFull = (id: string): CommandResult => ({
  id,
  success: false,
  error: `${durableCommandsMax} durable commands run here already, or wait until the hub takes their results`,
  code: "busy"
})
