/**
 * One agent session on this computer. Owns its status, chat and questions, and reports its changes as events.
 * agent-process.ts owns the program, agents.ts the choice among sessions.
 */
import { randomUUID } from "node:crypto"
import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk"
import { endedCode, type Fault, faultOf, incomplete, refusedToGoOn, type Status } from "./agent-fault.ts"
import type { AgentLink, LaunchWish } from "./agent-process.ts"
import { type AgentFacts, chatOf, eventOf, evidenceOf, reportOf } from "./agent-views.ts"
import type { Clock } from "./clock.ts"
import { Conversation } from "./conversation.ts"
import { interruptMillis } from "./limits.ts"
import type { Logs } from "./logs.ts"
import { type Decided, Permissions } from "./permissions.ts"
import type { Policies } from "./policies.ts"
import type { Provider } from "./providers.ts"
import type { Action, Answerer } from "./questions.ts"
import { Refusal } from "./refusal.ts"
import { Turn } from "./turn.ts"
import type { EventBody, LogName, Modal, SessionReport } from "./wire.ts"

/** What an agent needs of its daemon. */
export interface AgentSurroundings {
  readonly clock: Clock
  readonly logs: Logs
  readonly policies: Policies
  /** The daemon stops: what is starting is given up. */
  readonly stopping: AbortSignal
  /** The snapshot of the daemon changed. */
  readonly changed: () => void
  /** Something happened that the hub is told as an event. */
  readonly happened: (event: EventBody) => void
  /** A policy decided. */
  readonly decidedByPolicy: (event: EventBody) => void
}

/** One agent session. */
export class Agent {
  readonly id = `ses_${randomUUID()}`
  readonly provider: Provider
  readonly dir: string
  readonly #wish: LaunchWish
  readonly #around: AgentSurroundings
  readonly #conversation: Conversation
  readonly #permissions: Permissions
  #link: AgentLink | undefined
  #alive = true
  readonly #stopping = new AbortController()
  /** While it is started anew. */
  #restart: Promise<void> | undefined
  #turn: Turn | undefined
  #fault: Fault | undefined
  /** Why its last turn ended before all was said. */
  #stopReason: string | undefined

  private constructor(provider: Provider, wish: LaunchWish, around: AgentSurroundings) {
    const { dir } = wish
    this.provider = provider
    this.dir = dir
    this.#wish = wish
    this.#around = around
    this.#conversation = new Conversation(around.logs.open(this.#logName), around.clock)
    this.#permissions = new Permissions({
      policies: around.policies,
      clock: around.clock,
      provider: provider.type,
      cwd: dir,
      shown: (modal) => this.#asked(modal),
      decided: (decided) => this.#decided(decided)
    })
  }

  get #logName(): LogName {
    return { kind: "session", id: this.id }
  }

  /** Starts a program and opens a session. */
  static async launch(
    provider: Provider,
    wish: LaunchWish,
    around: AgentSurroundings,
    cancelled: AbortSignal
  ): Promise<Agent> {
    const agent = new Agent(provider, wish, around)
    const abandoned = AbortSignal.any([around.stopping, cancelled])
    try {
      await agent.#start(abandoned)
    } catch (error) {
      around.logs.forget(agent.#logName)
      throw error
    }
    agent.#conversation.status(agent.status)
    return agent
  }

  async #start(abandoned: AbortSignal): Promise<void> {
    const callbacks = {
      update: (update: SessionUpdate) => this.#heard(update),
      permission: (asked: RequestPermissionRequest, withdrawn: AbortSignal) => this.#permissions.ask(asked, withdrawn)
    }
    // the protocol's schemas take 10 MiB: a machine without agents has none of them
    const { AgentLink } = await import("./agent-process.ts")
    const link = await AgentLink.start(this.provider, this.#wish, this.#around.clock, callbacks, abandoned)
    this.#link = link
    void link.over.then((how) => this.#link === link && this.#gone(how))
  }

  /** Where it stands. */
  get status(): Status {
    if (this.#permissions.shown !== undefined) return "waiting_approval"
    if (this.#turn !== undefined) return "generating"
    return this.#fault === undefined ? "idle" : "error"
  }

  /** Whether its program runs. */
  get alive(): boolean {
    return this.#alive
  }

  /** Begins a turn; does not wait for its end. */
  send(text: string, commandId: string): { readonly messageId: string } {
    if (!this.#alive) {
      throw new Refusal("agent_gone", this.#fault?.message ?? `${this.provider.displayName} is not running any more`)
    }
    if (this.#link === undefined) throw new Refusal("agent_busy", `${this.provider.displayName} starts anew`)
    if (this.#turn !== undefined) {
      throw new Refusal("agent_busy", `${this.provider.displayName} has not finished its turn`)
    }
    const messageId = this.#conversation.said(text)
    this.#fault = undefined
    this.#stopReason = undefined
    const turn = new Turn(commandId, this.#around.clock, (elapsedSec) => {
      // Waiting for a person is no stall.
      if (this.#permissions.shown === undefined) this.#tell("monitor:no_progress", { elapsedSec })
    })
    this.#turn = turn
    this.#tell("agent:generating_started")
    this.#link.prompt(text).then(
      ({ stopReason }) => {
        if (incomplete.has(stopReason)) this.#stopReason = stopReason
        this.#turnOver(turn, stopReason === "refusal" ? refusedToGoOn : undefined)
      },
      (error: unknown) => this.#turnOver(turn, faultOf(error))
    )
    return { messageId }
  }

  /** Gives up the turn that a command began, if it is under way. */
  cancelTurn(commandId: string): boolean {
    if (this.#turn?.commandId !== commandId) return false
    this.interrupt()
    return true
  }

  /** Asks the agent to give up its turn. One that does not is started anew. */
  interrupt(): void {
    const turn = this.#turn
    if (turn === undefined) throw new Refusal("nothing_to_interrupt", `${this.provider.displayName} is in no turn`)
    this.#link?.cancel()
    this.#permissions.cancel()
    this.#around.clock.after(interruptMillis, () => {
      if (this.#turn === turn) this.#restart = this.#startAnew(turn)
    })
  }

  async #startAnew(turn: Turn): Promise<void> {
    const link = this.#link
    this.#link = undefined
    const words = `${this.provider.displayName} did not give up its turn within ${interruptMillis / 1_000} s and was started anew: it knows nothing of what was said`
    this.#turnOver(turn, { message: words, code: "agent_restarted" })
    await link?.end()
    try {
      const abandoned = AbortSignal.any([this.#around.stopping, this.#stopping.signal])
      if (this.#alive && !abandoned.aborted) await this.#start(abandoned)
      this.#changed()
    } catch (error) {
      this.#gone(faultOf(error).message)
    }
  }

  #turnOver(turn: Turn, fault: Fault | undefined): void {
    if (this.#turn !== turn) return
    this.#fault = fault
    const duration = this.#endTurn()
    this.#said(fault)
    if (fault === undefined) this.#tell("agent:generating_completed", { duration })
    this.#changed()
  }

  #endTurn(): number | undefined {
    const duration = this.#turn?.end()
    this.#turn = undefined
    this.#permissions.cancel()
    return duration
  }

  /** What was said is complete, or else what went wrong. */
  #said(fault: Fault | undefined): void {
    if (fault === undefined) this.#conversation.turnOver()
    else this.#conversation.failed(fault.message, fault.code)
  }

  #heard(update: SessionUpdate): void {
    this.#turn?.sign()
    this.#permissions.heard(update)
    this.#conversation.heard(update)
  }

  #asked(modal: Modal | undefined): void {
    if (modal === undefined) return this.#changed()
    const { promptId, message, buttons } = modal
    this.#conversation.asked(modal)
    this.#tell("agent:waiting_approval", { modalMessage: message, modalButtons: buttons, promptId })
  }

  #decided({ unseen, ...decided }: Decided): void {
    this.#conversation.resolved(decided)
    const { promptId, action, by, rule } = decided
    if (by !== "policy") return
    const more = { promptId, decision: action, by, ...(rule !== undefined && { rule }) } as const
    const event = eventOf(this.#facts, this.#around.clock.now(), "approval:resolved", more)
    // before the report in which its question is gone, so that the hub knows why
    if (unseen === undefined) this.#around.happened(event)
    else this.#around.decidedByPolicy(event)
  }

  #changed(): void {
    if (this.#alive) this.#conversation.status(this.status, this.#turn === undefined ? this.#stopReason : undefined)
    this.#around.changed()
  }

  #gone(how: string): void {
    if (!this.#alive) return
    this.#alive = false
    const isSaid = this.#fault?.code === endedCode
    const message = `${this.provider.displayName} is gone: ${how}`
    const isStopped = this.#stopping.signal.aborted
    this.#fault = isStopped ? undefined : { message, code: endedCode }
    this.#endTurn()
    if (!isSaid) this.#said(this.#fault)
    this.#conversation.status(isStopped ? "stopped" : "error")
    this.#around.logs.end(this.#logName)
    this.#tell("agent:stopped")
  }

  #tell(event: string, more: Partial<EventBody> = {}): void {
    this.#changed()
    this.#around.happened(eventOf(this.#facts, this.#around.clock.now(), event, more))
  }

  /** Answers the question it waits on, where it is the one that is meant. */
  resolve(action: Action | { readonly optionId: string }, promptId: string | undefined, who: Answerer = {}): void {
    const resolved = this.#permissions.resolve(action, promptId, who)
    if (resolved === "changed") {
      throw new Refusal("prompt_changed", `${this.provider.displayName} asks something else by now`)
    }
    if (resolved === "nothing") {
      throw new Refusal("nothing_to_resolve", `${this.provider.displayName} waits for no answer of this kind`)
    }
    this.#turn?.sign()
  }

  get #facts(): AgentFacts {
    const { id, provider, dir, status } = this
    return { id, provider, dir, status, providerSessionId: this.#link?.sessionId, modal: this.#permissions.shown }
  }

  /** The chat as it stands. */
  chat(): Record<string, unknown> {
    const stopReason = this.#turn === undefined ? this.#stopReason : undefined
    return chatOf(this.#facts, this.#conversation.chat, { stopReason, error: this.#fault?.message })
  }

  /** Evidence for the debug bundle. */
  evidence(): Record<string, unknown> {
    const process = { pid: this.#link?.pid, alive: this.#alive, stderr: this.#link?.stderr }
    return evidenceOf(this.#facts, process, this.chat())
  }

  /** The session as the hub is told. */
  report(): SessionReport {
    return reportOf(this.#facts)
  }

  /** Ends the agent and everything it started. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    if (this.#turn !== undefined) this.#link?.cancel()
    await this.#restart
    await this.#link?.end()
    this.#gone("it was stopped")
  }
}
