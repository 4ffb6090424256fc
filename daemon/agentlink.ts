/**
 * One agent program and the talk with it. Owns starting it, the Agent Client Protocol over its stdio, and ending it with
 * its whole process group. Keeps no chat and no status: agent.ts does.
 */
import type { ChildProcess } from "node:child_process"
import { isAbsolute, resolve } from "node:path"
import { Readable, Writable } from "node:stream"
import {
  type ClientConnection,
  client,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate
} from "@agentclientprotocol/sdk"
import { agentMessageBytesMax, launchMillisMax, stderrCharactersMax } from "./bounds.ts"
import type { Clock } from "./clock.ts"
import { endGroup, killGroup, startGroup } from "./group.ts"
import type { Provider } from "./providers.ts"
import { Refusal, words } from "./refusal.ts"

/** What the agent tells on its own. */
export interface AgentEars {
  readonly update: (update: SessionUpdate) => void
  readonly permission: (asked: RequestPermissionRequest, withdrawn: AbortSignal) => Promise<RequestPermissionResponse>
}

const commandPath = (provider: Provider): string =>
  provider.command.includes("/") && !isAbsolute(provider.command)
    ? resolve(provider.from, provider.command)
    : provider.command

/** The way a program ended, in words. */
const ending = (code: number | null, signal: string | null): string =>
  signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`

/** A started agent. */
export class AgentLink {
  readonly #child: ChildProcess
  readonly #clock: Clock
  readonly #connection: ClientConnection
  readonly #over: Promise<string>
  #sessionId = ""
  #stderr = ""

  private constructor(provider: Provider, dir: string, clock: Clock, ears: AgentEars) {
    this.#clock = clock
    this.#child = startGroup(commandPath(provider), provider.args, { cwd: dir, stdio: ["pipe", "pipe", "pipe"] })
    this.#child.stdin!.on("error", () => undefined)
    this.#child.stderr!.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString("utf8")).slice(-stderrCharactersMax)
    })
    this.#over = new Promise((settle) => {
      this.#child.once("error", (error) => settle(`it could not be started: ${error.message}`))
      this.#child.once("exit", (code, signal) => settle(ending(code, signal)))
    })
    const stream = ndJsonStream(
      Writable.toWeb(this.#child.stdin!) as WritableStream<Uint8Array>,
      Readable.toWeb(this.#child.stdout!) as ReadableStream<Uint8Array>,
      { maxMessageBytes: agentMessageBytesMax }
    )
    this.#connection = client({ name: "hub-daemon" })
      .onNotification(methods.client.session.update, ({ params }) => {
        if (params.sessionId === this.#sessionId) ears.update(params.update)
      })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) => ears.permission(params, signal))
      .connect(stream)
    // A stream that breaks (a message over the bound, say) leaves a program nobody can talk to.
    void this.#connection.closed.then(() => killGroup(this.#child))
    void this.#over.then(() => {
      this.#connection.close()
      killGroup(this.#child)
    })
  }

  /** Starts a program and opens a session in a folder. A refusal, and nothing left running, when that fails. */
  static async start(
    provider: Provider,
    dir: string,
    model: string | undefined,
    clock: Clock,
    ears: AgentEars,
    abandoned: AbortSignal
  ): Promise<AgentLink> {
    const link = new AgentLink(provider, dir, clock, ears)
    try {
      await link.#within(link.#open(dir, model), abandoned)
      return link
    } catch (error) {
      await link.end()
      if (error instanceof Refusal) throw error
      throw new Refusal("launch_failed", `${provider.displayName} did not start: ${words(error)}`)
    }
  }

  async #open(dir: string, model: string | undefined): Promise<void> {
    await this.#connection.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
      clientInfo: { name: "hub-daemon", version: "1" }
    })
    const opened = await this.#connection.agent.request(methods.agent.session.new, { cwd: dir, mcpServers: [] })
    this.#sessionId = opened.sessionId
    if (model !== undefined) await this.#choose(opened, model)
  }

  async #choose(opened: NewSessionResponse, model: string): Promise<void> {
    const choice = opened.configOptions?.find((option) => option.category === "model" && option.type === "select")
    const values =
      choice?.type === "select"
        ? choice.options.flatMap((one) => ("group" in one ? one.options : [one])).map((one) => one.value)
        : []
    if (choice === undefined || !values.includes(model)) {
      throw new Refusal("unknown_model", `this agent offers no model called ${model}`)
    }
    await this.#connection.agent.request(methods.agent.session.setConfigOption, {
      sessionId: this.#sessionId,
      configId: choice.id,
      value: model
    })
  }

  /** A start that takes too long, that nobody wants any more, or whose program ends, fails at once. */
  #within(start: Promise<void>, abandoned: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      abandoned.addEventListener("abort", () => reject(new Error("the daemon stops")), { once: true })
      const late = `no session after ${launchMillisMax} ms`
      const cancel = this.#clock.after(launchMillisMax, () => reject(new Error(late)))
      void this.#over.then((how) => reject(new Error(how)))
      start.then(resolve, reject).finally(cancel)
    })
  }

  /** The agent's own id of the session. */
  get sessionId(): string {
    return this.#sessionId
  }

  /** Resolves when the program is gone, by itself or because it was ended, with how. */
  get over(): Promise<string> {
    return this.#over
  }

  /** The last of what the program wrote to stderr. */
  get stderr(): string {
    return this.#stderr
  }

  /** The program's process id. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Sends one message; resolves when the turn is over. */
  prompt(text: string): Promise<PromptResponse> {
    return this.#connection.agent.request(methods.agent.session.prompt, {
      sessionId: this.#sessionId,
      prompt: [{ type: "text", text }]
    })
  }

  /** Asks the agent to give up its turn. */
  cancel(): void {
    void this.#connection.agent
      .notify(methods.agent.session.cancel, { sessionId: this.#sessionId })
      .catch(() => undefined)
  }

  /** Ends the program and everything it started. */
  async end(): Promise<void> {
    await endGroup(this.#child, this.#clock)
    this.#connection.close()
  }
}
