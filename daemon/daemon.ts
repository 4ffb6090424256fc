/**
 * One daemon of a hub: commands come in, results, reports and events go out. Owns when each frame is sent; link.ts owns
 * the connection.
 */
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { basename } from "node:path"
import { Agents } from "./agents.ts"
import { Answers } from "./answers.ts"
import type { Clock } from "./clock.ts"
import { Commands } from "./commands.ts"
import { Events } from "./events.ts"
import { Pace } from "./frame-pace.ts"
import { firstReportMillis, reportGapMillis, reportGatherMillis } from "./limits.ts"
import { Link } from "./link.ts"
import type { Log } from "./log.ts"
import { LogPush } from "./log-push.ts"
import { Logs } from "./logs.ts"
import type { MachineHealth } from "./machine-health.ts"
import { Policies, policiesCapability } from "./policies.ts"
import { PolicyDecisions } from "./policy-decisions.ts"
import type { Provider } from "./providers.ts"
import { Terminals } from "./terminal.ts"
import { selfUpdate, type UpdateMeans, Updates } from "./updates.ts"
import { version } from "./version.ts"
import { type Admission, frameText, readCommand, readIds, readLogName } from "./wire.ts"

/** How a daemon is set up. */
export interface MachineOptions {
  readonly url: string
  readonly token: string
  readonly name: string | undefined
  /** What this machine says of itself. */
  readonly tags?: Readonly<Record<string, string>>
  readonly providers: ReadonlyArray<Provider>
  /** The folder in which commands and agents run when nothing else is said. */
  readonly base: string
  readonly clock: Clock
  readonly log: Log
  /** Where the policies of its owner are kept; absent: nowhere. */
  readonly policyFile?: string | undefined
  /** Where the hub may put later programs of this daemon; absent: nowhere. */
  readonly updates?: UpdateMeans | undefined
  /** How busy and full the machine is; absent: it is not said. */
  readonly health?: (() => MachineHealth) | undefined
  /** The hub refuses this daemon for good. */
  readonly refused: (reason: string) => void
}

/** What this daemon can that not every one can. */
const capabilities = ["session_log", "durable_commands", "command_cancel", policiesCapability]

const isAtWork: ReadonlySet<string> = new Set(["generating", "waiting_approval"])

/** A daemon. */
export class Daemon {
  readonly #options: MachineOptions
  readonly #link: Link
  readonly #agents: Agents
  readonly #terminals: Terminals
  readonly #commands: Commands
  readonly #answers: Answers
  readonly #logPush: LogPush
  readonly #updates: Updates | undefined
  readonly #policies: Policies
  readonly #decisions: PolicyDecisions
  readonly #events = new Events()
  #pace = new Pace(1)
  #reported = false
  #changed = false
  #reportedAt = 0
  #cancelReport: () => void = () => undefined
  #cancelEvents: (() => void) | undefined

  constructor(options: MachineOptions) {
    const { clock, log, base } = options
    const instanceId = randomUUID()
    this.#options = options
    const logs = new Logs(clock, (name) => this.#logPush.touched(name))
    this.#logPush = new LogPush({ clock, logs, send: (text) => this.#link.send(text) })
    this.#decisions = new PolicyDecisions(clock, (event) => {
      this.#events.add(event)
      this.#flush()
    })
    this.#policies = new Policies(options.policyFile, log)
    this.#terminals = new Terminals(clock, base, logs)
    this.#agents = new Agents(options.providers, {
      clock,
      logs,
      policies: this.#policies,
      decidedByPolicy: (event) => this.#decisions.add(event),
      changed: () => this.#change(),
      happened: (event) => {
        this.#events.add(event)
        log("event", { event: event.event, session: event.targetSessionId })
        // a caller that hears of a prompt may answer it at once, and the hub compares with the report
        const asks = event.promptId !== undefined && event.by === undefined
        if (asks && this.#changed) this.#reportAtOnce()
        this.#flush()
      }
    })
    this.#commands = new Commands({ agents: this.#agents, terminals: this.#terminals, logs, clock, log, base })
    this.#link = new Link({
      url: options.url,
      clock,
      log,
      token: options.token,
      introduction: () => this.#introduction(instanceId),
      admitted: (admission) => this.#admitted(admission),
      received: (type, data) => this.#received(type, data),
      busy: () => this.#answers.busy,
      lost: () => this.#lost(),
      refused: options.refused
    })
    this.#updates =
      options.updates &&
      new Updates({
        ...options.updates,
        clock,
        log,
        send: (text) => this.#link.send(text),
        // durable ones too: they outlive the connection, and not this program
        busy: () => this.#commands.running.length > 0 || this.#agents.all.some(({ status }) => isAtWork.has(status))
      })
    this.#answers = new Answers({
      commands: this.#commands,
      line: this.#link,
      log,
      before: () => this.#reportFirst()
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
      capabilities: this.#updates === undefined ? capabilities : [...capabilities, selfUpdate],
      commands: this.#answers.ids,
      ...(Object.keys(this.#options.tags ?? {}).length === 0 ? {} : { tags: this.#options.tags }),
      ...(this.#options.name === undefined ? {} : { nickname: this.#options.name }),
      ...this.#snapshot()
    }
  }

  // `ice_servers` is for dashboards' peer connections, which this daemon has none of; the rest is newer than we are.
  #received(type: string, data: Readonly<Record<string, unknown>>): void {
    const command = type === "command" ? readCommand(data) : undefined
    const log = readLogName(data["log"])
    if (command !== undefined) void this.#answers.answer(command)
    if (type === "command_cancel" && typeof data["id"] === "string") this.#commands.cancel(data["id"])
    if (type === "update") void this.#updates?.told(data)
    if (type === "policy") this.#policies.told(data)
    if (type === "result_ack") this.#answers.acknowledged(readIds(data))
    if (type === "event_ack") this.#events.acknowledged(readIds(data))
    if (type === "log_subscribe" && log !== undefined) this.#logPush.subscribe(log, data["deltas"] !== false)
    if (type === "log_unsubscribe" && log !== undefined) this.#logPush.unsubscribe(log)
  }

  #admitted(admission: Admission): void {
    this.#pace = new Pace(admission.framesPer10s)
    this.#logPush.admitted()
    this.#updates?.admitted()
    this.#events.again()
    this.#reported = false
    this.#later(firstReportMillis)
    this.#answers.again()
    // who hears of a prompt that was shown meanwhile may answer it at once
    if (this.#changed && this.#events.size > 0) this.#reportAtOnce()
    this.#flush()
  }

  #lost(): void {
    // the last report may have gone into the connection that ended
    this.#changed = true
    this.#cancelReport()
    this.#logPush.lost()
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
    if (!this.#reported) return
    const due = this.#reportedAt + reportGapMillis - this.#options.clock.steady()
    this.#later(Math.max(reportGatherMillis, due))
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
    const health = this.#options.health?.()
    const said = { timestamp, sessions, ...this.#snapshot(), ...(health !== undefined && { health }) }
    this.#link.send(frameText("status_report", said))
    this.#changed = false
    this.#reportedAt = this.#options.clock.steady()
  }

  /** A caller may read the daemon's state right after its answer: what the command has changed goes out before it. */
  #reportFirst(): void {
    if (this.#changed && this.#pace.spare(this.#options.clock.steady())) this.#reportAtOnce()
  }

  #reportAtOnce(): void {
    if (this.#link.admission === undefined) return
    if (this.#reported) this.#report()
    else if (this.#pace.take(this.#options.clock.steady())) this.#sendReport()
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

  /** Ends every agent and command, then says goodbye. */
  async stop(): Promise<void> {
    this.#commands.stop()
    this.#updates?.stop()
    await Promise.all([this.#terminals.stop(), this.#agents.close()])
    this.#decisions.stop()
    this.#lost()
    await this.#link.stop()
  }
}
