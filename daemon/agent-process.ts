/**
 * One agent program and the conversation with it. Owns its start, the Agent Client Protocol over its stdio, and the end
 * of its whole process group. Keeps no chat and no status: agent.ts does.
 */

import type { ChildProcess } from "node:child_process"
import { isAbsolute, resolve } from "node:path"
import { Readable, Writable } from "node:stream"
import {
  type AuthMethod,
  type ClientConnection,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate
} from "@agentclientprotocol/sdk"
import { lastChars } from "../src/domain/text/truncate.ts"
import { answeredError, ended, endWords, isAnswer, notAcp, type ProgramEnd, timedOut } from "./agent-failure.ts"
import { chooseModel } from "./agent-model.ts"
import type { Clock } from "./clock.ts"
import { deferred } from "./deferred.ts"
import { agentMessageBytesMax, exitGraceMillis, outputDrainMillis, stderrCharactersMax } from "./limits.ts"
import { endGroup, killGroup, startGroup } from "./process-group.ts"
import type { Provider } from "./providers.ts"
import { Refusal, words } from "./refusal.ts"

/** How a program is to be started. */
export interface LaunchWish {
  readonly dir: string
  readonly model: string | undefined
  /** How long it may take until it has a session. */
  readonly millis: number
}

/** What the agent tells on its own. */
export interface AgentCallbacks {
  readonly update: (update: SessionUpdate) => void
  readonly permission: (asked: RequestPermissionRequest, withdrawn: AbortSignal) => Promise<RequestPermissionResponse>
}

const commandPath = (provider: Provider): string =>
  provider.command.includes("/") && !isAbsolute(provider.command)
    ? resolve(provider.from, provider.command)
    : provider.command

const startProgram = (provider: Provider, dir: string): ChildProcess => {
  try {
    return startGroup(commandPath(provider), provider.args, { cwd: dir, stdio: ["pipe", "pipe", "pipe"] })
  } catch (error) {
    throw ended(provider, { error: error as NodeJS.ErrnoException }, "")
  }
}

/** A started agent. */
export class AgentLink {
  readonly #provider: Provider
  readonly #child: ChildProcess
  readonly #clock: Clock
  readonly #connection: ClientConnection
  readonly #over: Promise<ProgramEnd>
  /** How it ended within the grace after its connection; undefined: it did not. */
  readonly #endedByItself: Promise<ProgramEnd | undefined>
  /** Fails once the program has shown that it is no agent. */
  readonly #notAcp = deferred<never>()
  /** What the start waits for. */
  #step: string = methods.agent.initialize
  #authMethods: ReadonlyArray<AuthMethod> = []
  #sessionId = ""
  #stderr = ""

  private constructor(provider: Provider, dir: string, clock: Clock, callbacks: AgentCallbacks) {
    this.#provider = provider
    this.#clock = clock
    this.#child = startProgram(provider, dir)
    this.#child.stdin!.on("error", () => undefined)
    this.#child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = lastChars(this.#stderr + text, stderrCharactersMax)
    })
    this.#notAcp.promise.catch(() => undefined)
    const exited = this.#exit()
    const read = new Promise((settle) => this.#child.once("close", settle))
    this.#connection = this.#connect(callbacks)
    this.#over = exited.then(async (end) => {
      // Its last words are read: an answer before its end counts more than the end.
      const drained = Promise.all([read, this.#connection.closed])
      if (!("error" in end)) await this.#within(drained, outputDrainMillis)
      this.#connection.close()
      for (const one of this.#child.stdio) one?.destroy()
      return end
    })
    // A stream that breaks (a message over the bound, say) leaves a program that cannot be talked to.
    this.#endedByItself = this.#connection.closed.then(() => this.#within(this.#over, exitGraceMillis))
    void this.#endedByItself.then((end) => {
      if (end === undefined) killGroup(this.#child)
    })
  }

  #exit(): Promise<ProgramEnd> {
    return new Promise((settle) => {
      this.#child.once("error", (error) => settle({ error }))
      this.#child.once("exit", (code, signal) => {
        // What it left behind would hold its output open.
        killGroup(this.#child)
        settle(code === null ? { signal: String(signal) } : { code })
      })
    })
  }

  #connect(callbacks: AgentCallbacks): ClientConnection {
    const stream = ndJsonStream(
      Writable.toWeb(this.#child.stdin!) as WritableStream<Uint8Array>,
      Readable.toWeb(this.#child.stdout!) as ReadableStream<Uint8Array>,
      { maxMessageBytes: agentMessageBytesMax }
    )
    return client({ name: "hub-daemon" })
      .onNotification(methods.client.session.update, ({ params }) => {
        if (params.sessionId === this.#sessionId) callbacks.update(params.update)
      })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) => callbacks.permission(params, signal))
      .onRequest(methods.agent.initialize, { parse: () => undefined }, () => {
        this.#notAcp.reject(notAcp(this.#provider, "it sends back what it is sent", this.#stderr))
      })
      .connect(stream)
  }

  /** What is waited for, or undefined when it does not come in time. */
  #within<A>(awaited: Promise<A>, millis: number): Promise<A | undefined> {
    return new Promise((settle, fail) => {
      const cancel = this.#clock.after(millis, () => settle(undefined))
      awaited.then(settle, fail).finally(cancel)
    })
  }

  /** Starts a program and opens a session. A refusal, and nothing left running, when that fails. */
  static async start(
    provider: Provider,
    wish: LaunchWish,
    clock: Clock,
    callbacks: AgentCallbacks,
    abandoned: AbortSignal
  ): Promise<AgentLink> {
    const link = new AgentLink(provider, wish.dir, clock, callbacks)
    try {
      await link.#inTime(link.#open(wish), wish.millis, abandoned)
      return link
    } catch (error) {
      const refusal = await link.#refusal("launch_failed", error)
      await link.end()
      throw refusal
    }
  }

  /** Why something failed: what the agent answered, or else what became of its program. */
  async #refusal(code: string, error: unknown): Promise<Refusal> {
    if (error instanceof Refusal) return error
    if (isAnswer(error)) return answeredError(this.#provider, code, error, this.#authMethods)
    // the first of both: after the other one the program is killed, and would seem to have ended
    const end = await Promise.race([this.#endedByItself, this.#within(this.#over, exitGraceMillis)])
    if (end !== undefined) return ended(this.#provider, end, this.#stderr)
    const how = this.#broken(error)
    return this.#step === methods.agent.initialize
      ? notAcp(this.#provider, how, this.#stderr)
      : new Refusal(code, `${this.#provider.displayName} cannot be talked to: ${how}`)
  }

  /** What ended the talk with a program that still runs. */
  #broken(error: unknown): string {
    const { code } = error as NodeJS.ErrnoException
    if (code === "EPIPE" || code === "ERR_STREAM_DESTROYED") return "it does not read its standard input"
    if (this.#child.stdout!.readableEnded) return "it closed its standard output"
    return words(error)
  }

  async #open({ dir, model }: LaunchWish): Promise<void> {
    const { agent } = this.#connection
    const { authMethods } = await agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
      clientInfo: { name: "hub-daemon", version: "1" }
    })
    this.#authMethods = authMethods ?? []
    this.#step = methods.agent.session.new
    const opened = await agent.request(methods.agent.session.new, { cwd: dir, mcpServers: [] })
    this.#sessionId = opened.sessionId
    const begun = (method: string): void => {
      this.#step = method
    }
    if (model !== undefined) await chooseModel(agent, opened, model, begun)
  }

  /** A start that takes too long, that was cancelled, or whose program ends, fails at once. */
  #inTime(start: Promise<void>, millis: number, abandoned: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const given = new Refusal("launch_failed", `${this.#provider.displayName} did not start: it was given up`)
      abandoned.addEventListener("abort", () => reject(given), { once: true })
      if (abandoned.aborted) reject(given)
      const cancel = this.#clock.after(millis, () => reject(timedOut(this.#provider, this.#step, millis, this.#stderr)))
      this.#notAcp.promise.catch(reject)
      void this.#over.then((end) => reject(ended(this.#provider, end, this.#stderr)))
      start.then(resolve, reject).finally(cancel)
    })
  }

  /** The agent's own id of the session. */
  get sessionId(): string {
    return this.#sessionId
  }

  /** Resolves when the program is gone, by itself or because it was ended, with how. */
  get over(): Promise<string> {
    return this.#over.then((end) => endWords(end, this.#stderr))
  }

  /** The last of what the program wrote to stderr. */
  get stderr(): string {
    return this.#stderr
  }

  /** The program's process id. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Sends one message; resolves when the turn is over. A refusal says why it failed. */
  async prompt(text: string): Promise<PromptResponse> {
    try {
      return await this.#connection.agent.request(methods.agent.session.prompt, {
        sessionId: this.#sessionId,
        prompt: [{ type: "text", text }]
      })
    } catch (error) {
      throw await this.#refusal("agent_failed", error)
    }
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
