/**
 * Regular load: callers on connections that they keep, daemons that stay, daemons that come and go, a receiver of
 * webhooks. Owns their rates (open loop: each request has its moment, and its latency counts from that) and what of
 * them failed.
 */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { requestText } from "../fixture.ts"
import type { Route } from "../load/dial.ts"
import { Connection } from "../load/open-loop.ts"
import type { Ask } from "../load/wrk.ts"
import { DaemonSocket, resultText } from "./daemon-socket.ts"
import { addressGroups, addressOf, type Enrolled } from "./site.ts"
import { type RegularKind, Stretch, type Underway } from "./tally.ts"

/** What the regular load holds and how much it does. */
export interface RegularPlan {
  readonly route: Route
  /** Keys with the daemons that each may command. */
  readonly callers: ReadonlyArray<{ readonly key: string; readonly daemonIds: ReadonlyArray<string> }>
  readonly daemons: ReadonlyArray<Enrolled>
  readonly comers: ReadonlyArray<Enrolled>
  readonly logins: ReadonlyArray<{ readonly email: string; readonly password: string }>
  /** Operations a second of each kind. */
  readonly rates: Readonly<Partial<Record<RegularKind, number>>>
}

const connectionsCount = 16
const uploadBytes = 200_000
const stayMillis = 500
const backMillis = 500
const connectMillisMax = 10_000
const stepMillis = 2
const none: Stretch = new Stretch()

/** All regular load of one hub. */
export class RegularLoad {
  readonly #plan: RegularPlan
  readonly #url: URL
  readonly #receiver: Server
  readonly #connections: Array<Connection>
  readonly #waiting: Array<(connection: Connection) => void> = []
  readonly #kept: Array<DaemonSocket | undefined> = []
  readonly #away: Array<Enrolled>
  readonly #events = new Map<string, Underway>()
  readonly #timers: Array<NodeJS.Timeout> = []
  #stretch: Stretch = none
  #turn = 0

  constructor(plan: RegularPlan, receiver: Server) {
    this.#plan = plan
    this.#url = new URL(plan.route.url)
    this.#receiver = receiver
    this.#connections = Array.from({ length: connectionsCount }, (_, at) => this.#connect(addressGroups.callers, at))
    this.#away = [...plan.comers]
    receiver.on("request", (request, response) => {
      let body = ""
      request.setEncoding("latin1").on("data", (piece: string) => {
        body += piece
      })
      request.on("end", () => {
        response.writeHead(204).end()
        const id = /"targetSessionId":"(t\d+)"/u.exec(body)?.[1] ?? ""
        this.#events.get(id)?.good()
        this.#events.delete(id)
      })
    })
  }

  /** All connections that are kept stand, then the load begins. */
  async begin(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.stand()))
    await Promise.all(this.#plan.daemons.map((daemon, at) => this.#stay(daemon, at)))
    const acts: Record<RegularKind, (due: number) => void> = {
      command: (due) => this.#call("command", due, '{"type":"read_chat","payload":{}}'),
      upload: (due) =>
        this.#call("upload", due, `{"type":"read_chat","payload":{"note":"${"x".repeat(uploadBytes)}"}}`),
      list: (due) => this.#call("list", due),
      connect: (due) => this.#come(due),
      delivery: (due) => this.#event(due),
      login: (due) => this.#login(due)
    }
    for (const [kind, rate] of Object.entries(this.#plan.rates)) this.#pace(rate, acts[kind as RegularKind])
  }

  /** What is due from now on counts here. */
  count(stretch: Stretch): void {
    this.#stretch = stretch
  }

  /** Ends everything. */
  end(): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.count(none)
    for (const socket of this.#kept.splice(0)) socket?.leave()
    for (const connection of this.#connections) connection.close()
    this.#receiver.closeAllConnections()
    this.#receiver.close()
  }

  #connect(group: number, at: number): Connection {
    return new Connection(this.#url, addressOf(group, at))
  }

  #pace(rate: number, act: (due: number) => void): void {
    const everyMillis = 1_000 / rate
    let due = performance.now() + Math.random() * everyMillis
    const step = (): void => {
      for (; due <= performance.now(); due += everyMillis) act(due)
    }
    this.#timers.push(setInterval(step, stepMillis))
  }

  #call(kind: "command" | "list" | "upload", due: number, body?: string): void {
    const turn = this.#turn++
    const { key, daemonIds } = this.#plan.callers[turn % this.#plan.callers.length]!
    const underway = this.#stretch.begin(kind, due)
    const path = kind === "list" ? "/api/v1/daemons" : `/api/v1/daemons/${daemonIds[turn % daemonIds.length]}/command`
    const bearer = { authorization: `Bearer ${key}` }
    const ask: Ask =
      body === undefined
        ? { method: "GET", path, headers: bearer }
        : { method: "POST", path, headers: { ...bearer, ...json }, body }
    const text = requestText(this.#plan.route.url, ask)
    const askOn = (connection: Connection): void =>
      connection.ask(text, (status) => {
        if (status === "200") underway.good()
        else underway.failed(status)
        const next = this.#waiting.shift()
        if (next === undefined) this.#connections.push(connection)
        else next(connection)
      })
    const connection = this.#connections.shift()
    if (connection === undefined) this.#waiting.push(askOn)
    else askOn(connection)
  }

  /** A login comes on a connection and from an address of its own, as those of people do. */
  #login(due: number): void {
    const turn = this.#turn++
    const underway = this.#stretch.begin("login", due)
    const connection = this.#connect(addressGroups.callers, connectionsCount + turn)
    const body = JSON.stringify(this.#plan.logins[turn % this.#plan.logins.length])
    const ask: Ask = { method: "POST", path: "/api/v1/auth/login", headers: json, body }
    connection.ask(requestText(this.#plan.route.url, ask), (status) => {
      if (status === "200") underway.good()
      else underway.failed(status)
      connection.close()
    })
  }

  /** A daemon connects, stays for a moment and leaves; the next time it is another one's turn. */
  #come(due: number): void {
    const daemon = this.#away.shift()
    const underway = this.#stretch.begin("connect", due)
    if (daemon === undefined) return underway.lost()
    const patience = setTimeout(() => socket.cut(), connectMillisMax)
    const from = addressOf(addressGroups.comers, this.#turn++)
    const socket = new DaemonSocket(this.#url, daemon.token, from, {
      ready: () => {
        underway.good()
        clearTimeout(patience)
        setTimeout(() => socket.leave(), stayMillis)
      },
      gone: ({ putOff }) => {
        clearTimeout(patience)
        if (putOff) underway.putOff()
        else underway.lost()
        this.#away.push(daemon)
      }
    })
  }

  /** A daemon that stays connected and answers at once; one that is lost comes back. */
  #stay(daemon: Enrolled, at: number): Promise<void> {
    return new Promise((stands) => {
      const socket: DaemonSocket = new DaemonSocket(this.#url, daemon.token, addressOf(addressGroups.daemons, at), {
        ready: () => {
          this.#kept[at] = socket
          socket.send([`{"type":"status_report","data":{"timestamp":${Date.now()},"sessions":[]}}`])
          stands()
        },
        command: (id) => socket.send([resultText(id, '{"echo":true}')]),
        gone: ({ code }) => {
          if (this.#timers.length > 0) this.#stretch.fail(`daemon: closed with ${code}`)
          this.#kept[at] = undefined
          setTimeout(() => void this.#stay(daemon, at).then(stands), backMillis)
        }
      })
    })
  }

  #event(due: number): void {
    const turn = this.#turn++
    const underway = this.#stretch.begin("delivery", due)
    const socket = this.#kept[turn % this.#plan.daemons.length]
    if (socket === undefined) return underway.failed("its daemon is not connected")
    this.#events.set(`t${turn}`, underway)
    const event = { id: `e${turn}`, event: "agent:generating_completed", timestamp: Date.now(), duration: 12 }
    socket.send([JSON.stringify({ type: "status_event", data: { ...event, targetSessionId: `t${turn}` } })])
  }
}

const json = { "content-type": "application/json" }

/** A receiver that listens on a port of its own. */
export const startReceiver = async (): Promise<{ readonly server: Server; readonly port: number }> => {
  const server = createServer()
  await new Promise<void>((stands) => server.listen(0, "127.0.0.1", stands))
  return { server, port: (server.address() as AddressInfo).port }
}
