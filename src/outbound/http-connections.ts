/**
 * The kept-alive connections to one origin, with one request at a time on each. Owns which connection a request gets,
 * and when an idle one is closed. Bounds no number: who sends does. Reads no response.
 */
import type { Socket } from "node:net"
import type { buildConnector } from "undici"
import { originIdleMillis } from "../limits/delivery.ts"

/** A request and who listens to its answer. */
export interface Sending {
  /** Head and body. */
  readonly text: string | Uint8Array
  /** Whether it need not be sent any more. */
  readonly over: () => boolean
  /** It is written now. `reused`: the connection carried others before. */
  readonly sent: (connection: Carrier, reused: boolean) => void
  readonly received: (bytes: Buffer) => void
  /** The receiver says no more. */
  readonly closed: () => void
  /** Nothing more comes: there is no connection, or it is gone. */
  readonly lost: (error: Error) => void
}

/** A connection as its request sees it. */
export interface Carrier {
  /** The answer is whole: the connection may carry the next request, for so long. */
  readonly release: (idleMillis: number) => void
  readonly destroy: () => void
}

/** What a request is sent through. */
export type Sender = Pick<Connections, "send">

/** As undici says it, so that one list of codes serves errors of connecting and of connections. */
const closedError = (): Error => Object.assign(new Error("the connection is closed"), { code: "UND_ERR_SOCKET" })

const destroyedError = (): Error => new Error("no more is sent")

class Connection implements Carrier {
  private readonly owner: Connections
  private socket: Socket | undefined
  private sending: Sending | undefined
  private used = false
  private ended = false

  constructor(owner: Connections, sending: Sending) {
    this.owner = owner
    this.sending = sending
  }

  opened(socket: Socket): void {
    if (this.ended) return void socket.destroy()
    this.socket = socket
    socket.on("data", (bytes: Buffer) => this.received(bytes))
    socket.on("error", (error) => this.end(error))
    socket.on("close", () => this.end(closedError()))
    socket.on("end", () => {
      this.sending?.closed()
      this.end(closedError())
    })
    socket.on("timeout", () => {
      if (this.sending === undefined) this.end(closedError())
    })
    const { sending } = this
    if (sending === undefined || sending.over()) this.release(originIdleMillis)
    else this.carry(sending)
  }

  carry(sending: Sending): void {
    const reused = this.used
    this.used = true
    this.sending = sending
    sending.sent(this, reused)
    this.socket!.write(sending.text, "utf8")
  }

  release(idleMillis: number): void {
    this.sending = undefined
    // a receiver that answers what it has not read would let unsent requests pile up
    const unsent = this.socket!.writableLength > 0
    if (unsent || idleMillis <= 0 || !this.owner.keep(this)) return this.end(closedError())
    // every byte that comes or goes begins it anew
    if (this.socket!.timeout !== idleMillis) this.socket!.setTimeout(idleMillis)
  }

  destroy(): void {
    this.sending = undefined
    this.end(closedError())
  }

  end(error: Error): void {
    if (this.ended) return
    this.ended = true
    const { sending, socket } = this
    this.sending = undefined
    this.owner.forget(this)
    socket?.destroy()
    sending?.lost(error)
  }

  private received(bytes: Buffer): void {
    // no request asked for it: it must not be taken for the next answer
    if (this.sending === undefined) this.end(closedError())
    else this.sending.received(bytes)
  }
}

/** The connections to an origin. */
export class Connections {
  private readonly target: buildConnector.Options
  private readonly connect: buildConnector.connector
  private readonly all = new Set<Connection>()
  private idle: Array<Connection> = []
  private waiting: Array<Sending> = []
  private closing = false
  private destroyed = false

  constructor(origin: string, connect: buildConnector.connector) {
    const { host, hostname, protocol, port } = new URL(origin)
    this.target = { host, hostname: hostname.replace(/^\[(.*)\]$/u, "$1"), protocol, port }
    this.connect = connect
  }

  /**
   * Sends after this turn of the event loop: what the receiver says on an idle connection, or that it has closed it, is
   * read first. One turn serves all that were given in it.
   */
  send(sending: Sending): void {
    if (this.destroyed) return sending.lost(destroyedError())
    if (this.waiting.push(sending) === 1) setImmediate(this.sendAll)
  }

  /** Keeps an idle connection; false: it is to be closed. */
  keep(connection: Connection): boolean {
    if (this.closing) return false
    this.idle.push(connection)
    return true
  }

  forget(connection: Connection): void {
    this.all.delete(connection)
    const at = this.idle.lastIndexOf(connection)
    if (at >= 0) this.idle.splice(at, 1)
  }

  /** Closes each connection as soon as it is idle. */
  close(): void {
    this.closing = true
    for (const connection of [...this.idle]) connection.end(closedError())
  }

  /** Closes all: what is under way is lost. */
  destroy(): void {
    this.close()
    this.destroyed = true
    for (const sending of this.waiting.splice(0)) if (!sending.over()) sending.lost(destroyedError())
    for (const connection of [...this.all]) connection.end(destroyedError())
  }

  private readonly sendAll = (): void => {
    const due = this.waiting
    this.waiting = []
    for (const sending of due) {
      if (sending.over()) continue
      // the one used last: its memory is warm, and the others may close
      const idle = this.idle.pop()
      if (idle === undefined) this.open(sending)
      else idle.carry(sending)
    }
  }

  private open(sending: Sending): void {
    const connection = new Connection(this, sending)
    this.all.add(connection)
    try {
      this.connect(this.target, (error, socket) => {
        if (error === null) connection.opened(socket)
        else connection.end(error)
      })
    } catch (error) {
      connection.end(error as Error)
    }
  }
}
