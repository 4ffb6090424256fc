/**
 * One daemon of a hub: commands come in, results, reports and events go out. Owns when each frame is sent; link.ts owns
 * the connection.
 */
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { basename } from "node:path"
import { Agents } from "./agents.ts"
import type { Clock } from "./clock.ts"
import { Commands } from "./commands.ts"
import { Events } from "./events.ts"
import { Pace } from "./frame-pace.ts"
import { firstReportMillis, reportGapMillis } from "./limits.ts"
import { Link } from "./link.ts"
import type { Log } from "./log.ts"
import type { Provider } from "./providers.ts"
import { Terminals } from "./terminal.ts"
import { type Admission, type Command, frameText } from "./wire.ts"

/** How a daemon is set up. */
export interface MachineOptions {
  readonly url: string
  readonly token: string
  readonly name: string | undefined
  readonly providers: ReadonlyArray<Provider>
  /** The folder in which commands and agents run when nothing else is said. */
  readonly base: string
  readonly clock: Clock
  readonly log: Log
  /** The hub refuses this daemon for good. */
  readonly refused: (reason: string) => void
}

const version = "1.0.0"

/** A daemon. */
export class Daemon {
  readonly #options: MachineOptions
  readonly #link: Link
  readonly #agents: Agents
  readonly #terminals: Terminals
  readonly #commands: Commands
  readonly #events = new Events()
  #pace = new Pace(1)
  #reported = false
  #changed = false
  #cancelReport: () => void = () => undefined
  #cancelEvents: (() => void) | undefined

  constructor(options: MachineOptions) {
    const { clock, log, base } = options
    const instanceId = randomUUID()
    this.#options = options
    this.#terminals = new Terminals(clock, base)
    this.#agents = new Agents(options.providers, {
      clock,
      changed: () => this.#change(),
      happened: (event) => {
        this.#events.add(event)
        log("event", { event: event.event, session: event.targetSessionId })
        this.#flush()
      }
    })
    this.#commands = new Commands({ agents: this.#agents, terminals: this.#terminals, clock, log, base })
    this.#link = new Link({
      url: options.url,
      clock,
      log,
      token: options.token,
      introduction: () => this.#introduction(instanceId),
      admitted: (admission) => this.#admitted(admission),
      command: (command) => void this.#command(command),
      busy: () => this.#commands.running > 0,
      acknowledged: (ids) => this.#events.acknowledged(ids),
      lost: () => this.#lost(),
      refused: options.refused
    })
  }

  /** Connects. */
  start(): void {
    this.#link.start()
  }

  #snapshot(): Record<string, unknown> {
    return {
      workspaces: [{ name: basename(this.#options.base), path: this.#options.base }],
      availableProviders: this.#options.providers.map(({ type, category, displayName }) => ({
        type,
        category,
        displayName
      }))
    }
  }

  #introduction(instanceId: string): Record<string, unknown> {
    return {
      protocol: 1,
      instanceId,
      version,
      hostname: hostname(),
      platform: process.platform,
      ...(this.#options.name === undefined ? {} : { nickname: this.#options.name }),
      ...this.#snapshot()
    }
  }

  #admitted(admission: Admission): void {
    this.#pace = new Pace(admission.framesPer10s)
    this.#events.again()
    this.#reported = false
    this.#later(firstReportMillis)
    this.#flush()
  }

  #lost(): void {
    this.#cancelReport()
    this.#cancelEvents?.()
    this.#cancelEvents = undefined
  }

  #later(millis: number): void {
    this.#cancelReport()
    this.#cancelReport = this.#options.clock.after(millis, () => this.#report())
  }

  /** Before the first report of a connection, that one is soon enough. */
  #change(): void {
    if (this.#changed) return
    this.#changed = true
    if (this.#reported) this.#later(reportGapMillis)
  }

  #report(): void {
    const { clock } = this.#options
    const admission = this.#link.admission
    if (admission === undefined) return
    if (!this.#pace.take(clock.steady())) {
      this.#later(this.#pace.wait(clock.steady()))
      return
    }
    this.#sendReport()
    this.#reported = true
    this.#later(admission.reportMs)
  }

  #sendReport(): void {
    const sessions = this.#agents.all.map((agent) => agent.report())
    const timestamp = this.#options.clock.now()
    this.#link.send(frameText("status_report", { timestamp, sessions, ...this.#snapshot() }))
    this.#changed = false
  }

  /** A caller may read the daemon's state right after its answer: what the command has changed goes out before it. */
  #reportFirst(): void {
    const { clock } = this.#options
    if (!this.#changed || !this.#pace.spare(clock.steady())) return
    if (this.#reported) this.#report()
    else if (this.#pace.take(clock.steady())) this.#sendReport()
  }

  /** Sends what has not gone out on this connection, as fast as the hub allows. */
  #flush(): void {
    const { clock } = this.#options
    if (this.#link.admission === undefined || this.#cancelEvents !== undefined) return
    for (let event = this.#events.next(); event !== undefined; event = this.#events.next()) {
      if (!this.#pace.take(clock.steady())) {
        this.#cancelEvents = clock.after(this.#pace.wait(clock.steady()), () => {
          this.#cancelEvents = undefined
          this.#flush()
        })
        return
      }
      if (!this.#link.send(frameText("status_event", event))) return
      this.#events.sent(event.id)
    }
  }

  async #command(command: Command): Promise<void> {
    const connection = this.#link.connection
    const result = await this.#commands.run(command)
    const admission = this.#link.admission
    if (result === undefined) return
    if (admission === undefined || connection !== this.#link.connection) {
      return this.#options.log("the hub that asked is gone, result dropped", { id: command.id })
    }
    this.#reportFirst()
    const text = frameText("command_result", result)
    const bytes = Buffer.byteLength(text)
    if (bytes <= admission.resultBytes) return void this.#link.send(text)
    const error = `the result has ${bytes} bytes and the hub takes ${admission.resultBytes}`
    this.#link.send(frameText("command_result", { id: command.id, success: false, error, code: "result_too_large" }))
  }

  /** Ends every agent and command, then says goodbye. */
  async stop(): Promise<void> {
    this.#terminals.stop()
    await this.#agents.close()
    this.#lost()
    await this.#link.stop()
  }
}
