/**
 * A daemon's socket from open to close, as the socket side sees it. Owns the time before `auth_ok` (admission.ts decides
 * it) and hands everything later to the daemon actor. Touches no socket: it speaks to a Peer.
 */
import { Context } from "effect"

/** The socket, as http/socket.ts offers it. After `closed` every member is a no-op. */
export interface Peer {
  /** Queues a text frame; it goes out at the end of the tick. "dropped" means it never will. */
  readonly send: (text: string) => "sent" | "buffered" | "dropped"
  /** Bytes queued and not yet taken by the kernel. */
  readonly buffered: () => number
  /** Ends the socket with a close code once what was queued is handed over. Calls `closed` later. */
  readonly close: (code: number, reason: string) => void
  /** The client's address, for logs. */
  readonly address: string
}

/** What the socket tells us. All synchronous; none throws. */
export interface Connection {
  /** A text frame and its length in bytes. */
  readonly receive: (text: string, bytes: number) => void
  /** A binary frame: closes with 4400. */
  readonly receiveBinary: () => void
  /** A pong, or a ping of the daemon: it is alive. */
  readonly heard: () => void
  /** The kernel took what was buffered. */
  readonly drained: () => void
  /** The socket is closed, by whichever side, with the code that was received (1006 when none was). */
  readonly closed: (code: number) => void
}

/** Where sockets report. */
export class Connections extends Context.Service<
  Connections,
  {
    /** Takes a new socket. Undefined when too many are unauthenticated: refuse the upgrade with 503. */
    readonly open: (peer: Peer) => Connection | undefined
    /** Whether a new socket would be taken; ask before the upgrade. */
    readonly admits: () => boolean
    /** Sockets that have not authenticated yet. */
    readonly unauthenticated: () => number
  }
>()("hub/Connections") {}
