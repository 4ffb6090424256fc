/**
 * The agents on this computer. Owns which run, how many, and which one a command addresses; agent.ts owns each of them.
 */
import { Agent, type AgentSurroundings } from "./agent.ts"
import type { LaunchWish } from "./agent-process.ts"
import { agentsMax } from "./limits.ts"
import type { Provider } from "./providers.ts"
import { Refusal } from "./refusal.ts"

/** Whom a command addresses. */
export interface Addressed {
  readonly sessionId: string | undefined
  readonly agentType: string | undefined
}

/** The agents of one daemon. */
export class Agents {
  readonly #providers: ReadonlyArray<Provider>
  readonly #around: AgentSurroundings
  readonly #running = new Map<string, Agent>()
  readonly #starting = new Set<Promise<unknown>>()
  readonly #stop = new AbortController()

  constructor(providers: ReadonlyArray<Provider>, around: Omit<AgentSurroundings, "stopping">) {
    this.#providers = providers
    this.#around = { ...around, stopping: this.#stop.signal }
  }

  /** All sessions, those included whose program is gone and that was not stopped yet. */
  get all(): ReadonlyArray<Agent> {
    return [...this.#running.values()]
  }

  /** Starts an agent of a type. */
  async launch(type: string, wish: LaunchWish, cancelled: AbortSignal): Promise<Agent> {
    const provider = this.#providers.find((one) => one.type === type)
    if (provider === undefined) {
      throw new Refusal("unknown_provider", `this machine has no agent called ${type}`)
    }
    const isFull = (): boolean => this.#running.size + this.#starting.size >= agentsMax
    for (const { alive, provider, id } of this.all)
      if (!alive && (provider.type === type || isFull())) this.#running.delete(id)
    if (this.#stop.signal.aborted || isFull()) {
      throw new Refusal("too_many_agents", `this machine runs ${agentsMax} agents at most`)
    }
    const launched = Agent.launch(provider, wish, this.#around, cancelled)
    this.#starting.add(launched)
    try {
      const agent = await launched
      this.#running.set(agent.id, agent)
      this.#around.changed()
      return agent
    } finally {
      this.#starting.delete(launched)
    }
  }

  /** The one agent that is meant. Named: that one. Else the only one there is. Never a guess. */
  pick({ sessionId, agentType }: Addressed): Agent {
    if (sessionId !== undefined) {
      const agent = this.#running.get(sessionId)
      if (agent === undefined) throw new Refusal("unknown_session", "there is no such session on this machine any more")
      return agent
    }
    const fitting = this.all.filter((agent) => agentType === undefined || agent.provider.type === agentType)
    if (fitting.length === 1) return fitting[0]!
    if (fitting.length === 0) throw new Refusal("no_agent", "no agent runs on this machine")
    throw new Refusal("ambiguous_session", "several agents run on this machine; name one with `targetSessionId`")
  }

  /** Gives up the turn that a command began; false when none is under way. */
  cancelTurn(commandId: string): boolean {
    return this.all.some((agent) => agent.cancelTurn(commandId))
  }

  /** Stops one session, or every session of a type. Gives back the ids. */
  async stop(type: string, sessionId: string | undefined): Promise<ReadonlyArray<string>> {
    const meant = this.all.filter(
      (agent) => agent.provider.type === type && (sessionId === undefined || agent.id === sessionId)
    )
    if (meant.length === 0) throw new Refusal("no_agent", `no agent called ${type} runs on this machine`)
    await Promise.all(meant.map((agent) => this.#end(agent)))
    this.#around.changed()
    return meant.map((agent) => agent.id)
  }

  async #end(agent: Agent): Promise<void> {
    await agent.stop()
    this.#running.delete(agent.id)
  }

  /** Stops all, and starts no other. */
  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.allSettled([...this.#starting])
    await Promise.all(this.all.map((agent) => this.#end(agent)))
  }
}
