/**
 * The two sides of a daemon's socket: what the hub does to it, and what it reports. Owns the ports; touches no socket.
 */

/** The socket, as http/native/daemon-socket.ts offers it. After `closed` every member is a no-op. */
export interface Peer {
  /**
   * Queues a text frame; it goes out at the end of the tick. "dropped" means it never will. One that may be refused
   * leaves room for those that may not: "full" means that it found none and nothing happened.
   */
  readonly send: (text: string, refusable?: boolean) => "sent" | "buffered" | "full" | "dropped"
  /** Its daemon is of this account, whose daemons together have only so much wait for them. */
  readonly belongsTo: (accountId: string) => void
  /** Queues a ping behind the frames. It and all later ones carry this payload, of 125 bytes at most. */
  readonly ping: (payload: string) => void
  /** Ends the socket with a close code once what was queued is handed over. Calls `closed` later. */
  readonly close: (code: number, reason: string) => void
  /** Cuts the connection off in this tick, without a code, once what was queued is handed over. */
  readonly cut: () => void
  /** The client's address, for logs. */
  readonly address: string
}

/** What the socket reports. All synchronous; none throws. */
export interface Connection {
  /** A text frame and its length in bytes. */
  readonly receive: (text: string, bytes: number) => void
  /** A large text frame, as its bytes. The receiver owns them. */
  readonly receiveLarge: (bytes: Uint8Array) => void
  /** A text frame larger than any may be, of which only the two ends are read. */
  readonly receiveOversized: (edges: string) => void
  /** A binary frame and its length in bytes: closes with 4400. */
  readonly receiveBinary: (bytes: number) => void
  /** A ping of the daemon, or a pong, with its payload: it is alive. */
  readonly heard: (pong?: string) => void
  /**
   * The socket is closed with this code: no daemon is admitted through it. `closed` follows, in a crowd some turns
   * later.
   */
  readonly gone: (code: number) => void
  /**
   * The socket is closed, by whichever side, with the code that was received (1006 when none was). `oversized`: a frame
   * was larger than the library takes.
   */
  readonly closed: (code: number, oversized?: boolean) => void
}
