/**
 * Runs commands. Owns the table of command types, that no id runs twice, and how many run at once; terminal.ts and
 * agents.ts do the work.
 */
import type { Agents } from "./agents.ts"
import type { Clock } from "./clock.ts"
import { commandMillis } from "./command-time.ts"
import { debugBundle } from "./debug-bundle.ts"
import { commandIdsMax, commandsMax, launchMillisMax } from "./limits.ts"
import type { Log } from "./log.ts"
import type { Logs } from "./logs.ts"
import { Refusal, requiredText, textOf, words } from "./refusal.ts"
import { folder, type Terminals } from "./terminal.ts"
import type { Command, CommandResult } from "./wire.ts"

/** What commands act on. */
export interface Means {
  readonly agents: Agents
  readonly terminals: Terminals
  readonly logs: Logs
  readonly clock: Clock
  readonly log: Log
  /** Where things start when nothing else is said. */
  readonly base: string
}

type Act = (command: Command, means: Means, cancelled: AbortSignal) => unknown

const addressed = (command: Command) => ({
  sessionId: command.targetSessionId ?? textOf(command.payload, "targetSessionId"),
  agentType: textOf(command.payload, "agentType")
})

/** The text of a chat message, canonical form first. */
export const chatText = (payload: Readonly<Record<string, unknown>>): string => {
  const input = payload["input"] as { parts?: unknown; textFallback?: unknown } | undefined
  const parts = Array.isArray(input?.parts) ? (input.parts as ReadonlyArray<{ type?: unknown; text?: unknown }>) : []
  const text = parts.flatMap((part) => (part?.type === "text" && typeof part.text === "string" ? [part.text] : []))
  if (text.length > 0) return text.join("\n")
  return typeof input?.textFallback === "string" ? input.textFallback : requiredText(payload, "message")
}

const noIde: Act = () => {
  throw new Refusal("no_ide", "this daemon runs no IDE")
}

const acts: Readonly<Record<string, Act>> = {
  terminal_exec: (command, { terminals }, cancelled) => terminals.run(command, cancelled),
  launch_cli: async (command, { agents, base }, cancelled) => {
    const { payload } = command
    const dir = folder(base, textOf(payload, "dir"))
    const millis = Math.min(launchMillisMax, commandMillis(command, launchMillisMax))
    const wish = { dir, model: textOf(payload, "model"), millis }
    const agent = await agents.launch(requiredText(payload, "cliType"), wish, cancelled)
    return { sessionId: agent.id, type: agent.provider.type, status: agent.status, dir }
  },
  stop_cli: async (command, { agents }) => ({
    stopped: await agents.stop(requiredText(command.payload, "cliType"), addressed(command).sessionId)
  }),
  send_chat: (command, { agents }) => {
    const agent = agents.pick(addressed(command))
    return { accepted: true, sessionId: agent.id, ...agent.send(chatText(command.payload), command.id) }
  },
  read_log: ({ payload }, { logs }) => logs.read(payload),
  read_chat: (command, { agents }) => agents.pick(addressed(command)).chat(),
  resolve_action: (command, { agents }) => {
    const optionId = textOf(command.payload, "optionId")
    const action = optionId === undefined ? requiredText(command.payload, "action") : { optionId }
    if (typeof action === "string" && action !== "approve" && action !== "reject" && action !== "always") {
      throw new Refusal("invalid_payload", "`action` must be `approve`, `reject` or `always`")
    }
    const agent = agents.pick(addressed(command))
    const who = { by: textOf(command.payload, "by"), words: textOf(command.payload, "message") }
    agent.resolve(action, textOf(command.payload, "promptId"), who)
    return { ...(typeof action === "string" ? { action } : action), sessionId: agent.id, status: agent.status }
  },
  interrupt: (command, { agents }) => {
    const agent = agents.pick(addressed(command))
    agent.interrupt()
    return { sessionId: agent.id, status: agent.status }
  },
  chat_debug_bundle: (command, { agents, clock }) =>
    debugBundle(agents.pick(addressed(command)), command.payload["frontendSnapshot"], clock.now()),
  launch_ide: noIde,
  stop_ide: noIde,
  screenshot: noIde
}

/** The commands of one daemon. */
export class Commands {
  readonly #means: Means
  readonly #seen = new Set<string>()
  /** How each that is under way is cancelled. */
  readonly #running = new Map<string, AbortController>()
  #stopped = false

  constructor(means: Means) {
    this.#means = means
  }

  /** Commands under way. */
  get running(): ReadonlyArray<string> {
    return [...this.#running.keys()]
  }

  /** Runs a command once; undefined when its id was here before. */
  async run(command: Command): Promise<CommandResult | undefined> {
    if (this.#seen.has(command.id) || this.#running.has(command.id)) {
      this.#means.log("command seen before, not run again", { id: command.id, type: command.type })
      return undefined
    }
    this.#seen.add(command.id)
    if (this.#seen.size > commandIdsMax) this.#seen.delete(this.#seen.values().next().value!)
    const started = this.#means.clock.steady()
    const result = await this.#act(command)
    this.#means.log(result.success ? "command done" : "command refused", {
      id: command.id,
      type: command.type,
      code: result.code,
      ms: this.#means.clock.steady() - started
    })
    return result
  }

  /** Ends what a command does: the command while it is under way, else the turn that it began. */
  cancel(id: string): void {
    const running = this.#running.get(id)
    const isKnown = running !== undefined || this.#means.agents.cancelTurn(id)
    running?.abort()
    this.#means.log(isKnown ? "command cancelled" : "nothing to cancel", { id })
  }

  /** Refuses what comes from now on: it would outlive the daemon. */
  stop(): void {
    this.#stopped = true
  }

  async #act(command: Command): Promise<CommandResult> {
    const act = Object.hasOwn(acts, command.type) ? acts[command.type] : undefined
    const cancel = new AbortController()
    this.#running.set(command.id, cancel)
    try {
      if (this.#stopped) throw new Refusal("stopping", "this daemon is about to end")
      if (this.#running.size > commandsMax) throw new Refusal("busy", `${commandsMax} commands are running already`)
      if (act === undefined) throw new Refusal("unknown_command", `this daemon has no command ${command.type}`)
      return { id: command.id, success: true, result: await act(command, this.#means, cancel.signal) }
    } catch (error) {
      const { code, result } = error instanceof Refusal ? error : { code: "failed", result: undefined }
      const said = cancel.signal.aborted ? cancelled : { error: words(error), code }
      return { id: command.id, success: false, ...said, ...(result === undefined ? {} : { result }) }
    } finally {
      this.#running.delete(command.id)
    }
  }
}

const cancelled = { error: "the command was cancelled, and what it had started was ended", code: "cancelled" }
