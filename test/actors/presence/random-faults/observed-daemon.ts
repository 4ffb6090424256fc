/**
 * A daemon whose life is judged: it dials nodes, moves, leaves, is lost, and keeps count of what may have been told of
 * it. Owns its connections and the words the hub closed them with; answers commands and pings.
 */
import { WebSocket } from "ws"
import { TimesOnline } from "./possible-times.ts"

/** One connection, accepted or not. */
export interface JudgedConnection {
  readonly node: number
  readonly socket: WebSocket
  readonly dialledAt: number
  /** It was upgraded; before that the hub does nothing for it. */
  isOpened: boolean
  acceptedAt: number | undefined
  endedAt: number | undefined
  /** The code the hub closed it with; undefined where the daemon ended it. */
  code: number | undefined
  /** The daemon ended it, or its node was killed. */
  dropped: boolean
}

/** Where it can dial. */
export interface DialContext {
  readonly url: (node: number) => string | undefined
  readonly graceMillis: number
  /** Milliseconds since the run began. */
  readonly now: () => number
  /** Whether the others may have taken this node for dead. */
  readonly isDoubtful: (node: number) => boolean
  /** The hub asks the daemon to go elsewhere. */
  readonly sentAway: (daemon: JudgedDaemon) => void
}

const attemptMillisMax = 2_500
const replaced = 4409

/** The daemon. */
export class JudgedDaemon {
  readonly daemonId: string
  readonly token: string
  readonly name: string
  readonly times = new TimesOnline()
  readonly connections: Array<JudgedConnection> = []
  readonly history: Array<string> = []
  /** Whether the hub has said that it is revoked: it is not accepted any more. */
  revoked = false
  private readonly context: DialContext

  constructor(context: DialContext, name: string, daemonId: string, token: string) {
    this.context = context
    this.name = name
    this.daemonId = daemonId
    this.token = token
  }

  /** Connections that were accepted and have not ended, the newest last. */
  get open(): ReadonlyArray<JudgedConnection> {
    return this.connections.filter(({ acceptedAt, endedAt }) => acceptedAt !== undefined && endedAt === undefined)
  }

  get newest(): JudgedConnection | undefined {
    return this.connections.findLast(({ acceptedAt }) => acceptedAt !== undefined)
  }

  note(word: string): void {
    this.history.push(`${this.context.now()} ${word}`)
  }

  /** Dials a node and waits for its answer. What it has open stays so: the hub closes it. */
  async dial(node: number): Promise<boolean> {
    const url = this.context.url(node)
    if (url === undefined) return false
    const { revoked } = this
    const before = this.newest
    const connection = this.connect(node, url)
    const accepted = await this.answerOf(connection)
    if (before !== undefined && this.context.isDoubtful(before.node)) this.times.endsAfter(0)
    if (accepted) this.times.accepted(connection.acceptedAt!)
    else if (connection.isOpened) {
      // who is replaced by its own next attempt is done with; of any other a statement may still be on its way
      const { dialledAt, code } = connection
      this.times.attempted(dialledAt, performance.now(), this.context.graceMillis, code === replaced)
    }
    this.note(`${accepted ? "accepted" : "refused"} by ${node}${accepted ? "" : ` with ${connection.code}`}`)
    if (accepted && revoked) this.note("which is wrong: it was revoked before")
    if (accepted && connection.endedAt !== undefined) this.ended(connection)
    return accepted
  }

  private connect(node: number, url: string): JudgedConnection {
    const socket = new WebSocket(`${url.replace(/^http/u, "ws")}/api/v1/daemons/connect`, {
      headers: { authorization: `Bearer ${this.token}` }
    })
    const connection: JudgedConnection = {
      node,
      socket,
      dialledAt: performance.now(),
      isOpened: false,
      acceptedAt: undefined,
      endedAt: undefined,
      code: undefined,
      dropped: false
    }
    this.connections.push(connection)
    socket.on("error", () => {})
    socket.on("message", (bytes) => this.heard(connection, JSON.parse(bytes.toString())))
    socket.once("open", () => {
      connection.isOpened = true
      const data = { protocol: 1, instanceId: "judged", version: "1.0.0", hostname: this.name, platform: "linux" }
      socket.send(JSON.stringify({ type: "auth", data }))
    })
    socket.once("close", (code) => {
      connection.endedAt ??= performance.now()
      if (!connection.dropped) connection.code = code
      if (connection.acceptedAt !== undefined && !connection.dropped) {
        this.note(`closed by ${node} with ${code}`)
        this.ended(connection)
      }
    })
    return connection
  }

  private answerOf(connection: JudgedConnection): Promise<boolean> {
    const { socket } = connection
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        connection.dropped = true
        socket.terminate()
      }, attemptMillisMax)
      const answered = (accepted: boolean): void => {
        clearTimeout(late)
        resolve(accepted)
      }
      socket.on("message", () => {
        if (connection.acceptedAt !== undefined) answered(true)
      })
      socket.once("close", () => answered(connection.acceptedAt !== undefined))
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: frames of every shape
  private heard(connection: JudgedConnection, { type, data }: { type: string; data: any }): void {
    const { socket } = connection
    if (type === "auth_ok") connection.acceptedAt = performance.now()
    if (type === "command") {
      const result = { id: data.id, success: true, result: { of: this.daemonId } }
      socket.send(JSON.stringify({ type: "command_result", data: result }))
    }
    if (type === "reconnect" && connection === this.newest && connection.endedAt === undefined) {
      this.context.sentAway(this)
    }
  }

  /** The newest connection ended by the hub: the hub knew it first. */
  private ended(connection: JudgedConnection): void {
    if (connection === this.newest) this.times.endsAfter(connection.endedAt! + this.context.graceMillis / 2)
  }

  /** Says goodbye. */
  leave(): void {
    const connection = this.open.at(-1)
    if (connection === undefined) return
    this.note(`leaves ${connection.node}`)
    this.drop(connection, 0)
    connection.socket.close(1000)
  }

  /** Its connections to a node, or all, break off without a goodbye. `isWatched`: a node runs that may tell of it. */
  lose(node?: number, isWatched = true): void {
    for (const connection of this.connections) {
      if (connection.endedAt !== undefined || (node !== undefined && connection.node !== node)) continue
      this.note(`is lost to ${connection.node}`)
      this.drop(connection, isWatched ? performance.now() + this.context.graceMillis : Number.POSITIVE_INFINITY)
      connection.socket.terminate()
    }
  }

  private drop(connection: JudgedConnection, endsAfter: number): void {
    connection.dropped = true
    connection.endedAt = performance.now()
    if (connection === this.newest) this.times.endsAfter(endsAfter)
  }
}
