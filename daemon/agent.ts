/**
 * One agent session on this computer. Owns its status, chat and questions, and reports its changes as events.
 * agent-process.ts owns the program, agents.ts the choice among sessions.
 */
import { randomUUID } from "node:crypto"
import { basename } from "node:path"
import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk"
import type { AgentLink, LaunchWish } from "./agent-process.ts"
import type { Clock } from "./clock.ts"
import { Conversation } from "./conversation.ts"
import type { Logs } from "./logs.ts"
import type { Provider } from "./providers.ts"
import { type Action, Questions } from "./questions.ts"
import { Refusal, words } from "./refusal.ts"
import { Turn } from "./turn.ts"
import type { EventBody, LogName, Modal, SessionReport } from "./wire.ts"

/** What an agent needs of its daemon. */
export interface AgentSurroundings {
  readonly clock: Clock
  readonly logs: Logs
  /** The daemon stops: what is starting is given up. */
  readonly stopping: AbortSignal
  /** The snapshot of the daemon changed. */
  readonly changed: () => void
  /** Something happened that the hub is told as an event. */
  readonly happened: (event: EventBody) => void
}

/** Why it is in error. */
interface Fault {
  readonly message: string
  readonly code?: string
}

type Status = "idle" | "generating" | "waiting_approval" | "error"

/** With this code a turn fails whose program ended. */
const endedCode = "agent_exited"

/** How a turn ends that looks complete and is not. */
const incomplete: ReadonlySet<string> = new Set(["max_tokens", "max_turn_requests"])

const refusedToGoOn: Fault = { message: "the agent refused to go on" }

const faultOf = (error: unknown): Fault => ({
  message: words(error),
  ...(error instanceof Refusal ? { code: error.code } : {})
})

/** One agent session. */
export class Agent {
  readonly id = `ses_${randomUUID()}`
  readonly provider: Provider
  readonly dir: string
  readonly #around: AgentSurroundings
  readonly #conversation: Conversation
  readonly #questions: Questions
  #link: AgentLink | undefined
  #alive = true
  #stopping = false
  #turn: Turn | undefined
  #fault: Fault | undefined
  /** Why its last turn ended before all was said. */
  #stopReason: string | undefined

  private constructor(provider: Provider, dir: string, around: AgentSurroundings) {
    this.provider = provider
    this.dir = dir
    this.#around = around
    this.#conversation = new Conversation(around.logs.open(this.#logName), around.clock)
    this.#questions = new Questions({
      shown: (modal) => this.#asked(modal),
      resolved: (promptId, action) => this.#conversation.resolved(promptId, action)
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
    const agent = new Agent(provider, wish.dir, around)
    const callbacks = {
      update: (update: SessionUpdate) => agent.#heard(update),
      permission: (asked: RequestPermissionRequest, withdrawn: AbortSignal) => agent.#questions.ask(asked, withdrawn)
    }
    const abandoned = AbortSignal.any([around.stopping, cancelled])
    try {
      // the protocol's schemas take 10 MiB: a machine without agents has none of them
      const { AgentLink } = await import("./agent-process.ts")
      agent.#link = await AgentLink.start(provider, wish, around.clock, callbacks, abandoned)
    } catch (error) {
      around.logs.forget(agent.#logName)
      throw error
    }
    agent.#conversation.status(agent.status)
    void agent.#link.over.then((how) => agent.#gone(how))
    return agent
  }

  /** Where it stands. */
  get status(): Status {
    if (this.#questions.shown !== undefined) return "waiting_approval"
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
    if (this.#turn !== undefined) {
      throw new Refusal("agent_busy", `${this.provider.displayName} has not finished its turn`)
    }
    const messageId = this.#conversation.said(text)
    this.#fault = undefined
    this.#stopReason = undefined
    const turn = new Turn(commandId, this.#around.clock, (elapsedSec) => {
      // Waiting for a person is no stall.
      if (this.#questions.shown === undefined) this.#tell("monitor:no_progress", { elapsedSec })
    })
    this.#turn = turn
    this.#tell("agent:generating_started")
    this.#link!.prompt(text).then(
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
    this.#link!.cancel()
    this.#questions.cancel()
    return true
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
    this.#questions.cancel()
    return duration
  }

  /** What was said is complete, or else what went wrong. */
  #said(fault: Fault | undefined): void {
    if (fault === undefined) this.#conversation.complete()
    else this.#conversation.failed(fault.message, fault.code)
  }

  #heard(update: SessionUpdate): void {
    this.#turn?.sign()
    this.#conversation.heard(update)
  }

  #asked(modal: Modal | undefined): void {
    if (modal === undefined) return this.#changed()
    const { promptId, message, buttons } = modal
    this.#conversation.asked(modal)
    this.#tell("agent:waiting_approval", { modalMessage: message, modalButtons: buttons, promptId })
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
    this.#fault = this.#stopping ? undefined : { message, code: endedCode }
    this.#endTurn()
    if (!isSaid) this.#said(this.#fault)
    this.#conversation.status(this.#stopping ? "stopped" : "error")
    this.#around.logs.end(this.#logName)
    this.#tell("agent:stopped")
  }

  #tell(event: string, more: Partial<EventBody> = {}): void {
    this.#changed()
    this.#around.happened({
      event,
      timestamp: this.#around.clock.now(),
      targetSessionId: this.id,
      providerType: this.provider.type,
      ...(this.#link === undefined ? {} : { providerSessionId: this.#link.sessionId }),
      workspaceName: this.dir,
      ...more
    })
  }

  /** Answers the question it waits on, where it is the one that is meant. */
  resolve(action: Action, promptId: string | undefined): void {
    const resolved = this.#questions.resolve(action, promptId)
    if (resolved === "changed") {
      throw new Refusal("prompt_changed", `${this.provider.displayName} asks something else by now`)
    }
    if (resolved === "nothing") {
      throw new Refusal("nothing_to_resolve", `${this.provider.displayName} waits for no answer of this kind`)
    }
    this.#turn?.sign()
  }

  /** The chat as it stands. */
  chat(): Record<string, unknown> {
    const modal = this.#questions.shown
    return {
      sessionId: this.id,
      agentType: this.provider.type,
      status: this.status,
      title: this.provider.displayName,
      ...this.#conversation.chat,
      ...(modal === undefined ? {} : { activeModal: modal }),
      ...(this.#turn !== undefined || this.#stopReason === undefined ? {} : { stopReason: this.#stopReason }),
      ...(this.#fault === undefined ? {} : { error: this.#fault.message })
    }
  }

  /** Evidence for the debug bundle. */
  evidence(): Record<string, unknown> {
    const { command, args, type, category } = this.provider
    return {
      provider: { type, category, command, args },
      process: { pid: this.#link?.pid, alive: this.#alive, stderr: this.#link?.stderr },
      session: this.report(),
      chat: this.chat()
    }
  }

  /** The session as the hub is told. */
  report(): SessionReport {
    const modal = this.#questions.shown
    return {
      id: this.id,
      providerType: this.provider.type,
      providerName: this.provider.displayName,
      ...(this.#link === undefined ? {} : { providerSessionId: this.#link.sessionId }),
      kind: "agent",
      transport: this.provider.category === "cli" ? "pty" : "acp",
      status: this.status,
      title: this.provider.displayName,
      workspace: { name: basename(this.dir), path: this.dir },
      // this daemon has no dashboard on which either could be done
      surfaceHidden: false,
      muted: false,
      ...(modal === undefined ? {} : { activeModal: modal })
    }
  }

  /** Ends the agent and everything it started. */
  async stop(): Promise<void> {
    this.#stopping = true
    if (this.#turn !== undefined) this.#link?.cancel()
    await this.#link?.end()
    this.#gone("it was stopped")
  }
}
