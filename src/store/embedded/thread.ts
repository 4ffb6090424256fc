/**
 * The hub's side of the embedded database's thread. Owns its start, its end, and the byte streams to it. The next
 * connection restarts a crashed thread, except one in memory, whose rows are gone. Speaks no SQL.
 */
import { Duplex } from "node:stream"
import { MessageChannel, type Worker } from "node:worker_threads"
import { errorOf } from "./instance-fault.ts"
import { takeWorker } from "./prepared-worker.ts"
import type { CopyAnswer, FromWorker, OpenDatabase, ToWorker } from "./worker.ts"

/** The database in its thread. */
export interface EmbeddedThread {
  /** Starts it, or waits for the start under way. */
  readonly start: () => Promise<Worker>
  /** A byte stream that node-postgres uses in place of a socket. */
  readonly stream: () => Duplex
  /** Copies the database's folder between two statements; later statements wait. The copy opens as after a kill. */
  readonly copy: (to: string) => Promise<void>
  /** Whether statements wait for such a copy now. */
  readonly copying: () => boolean
  /** Closes the database cleanly, then ends the thread. Connections are closed by their owner before. */
  readonly close: () => Promise<void>
  /** Ends the thread at once, as a crash would; the next connection starts it again. */
  readonly kill: () => Promise<void>
}

const boot = (folder: string | undefined): Promise<Worker> =>
  new Promise((resolve, reject) => {
    const worker = takeWorker()
    worker.once("error", reject)
    worker.once("exit", () => reject(new Error("the embedded database ended while it started")))
    worker.once("message", (message: FromWorker) => {
      if (message === "ready") resolve(worker)
      else reject(errorOf(message))
    })
    worker.postMessage({ folder } satisfies OpenDatabase)
  })

const transfer = (chunk: Uint8Array): [Uint8Array, [ArrayBuffer]] => {
  const copy = new Uint8Array(chunk)
  return [copy, [copy.buffer]]
}

/** One connection's bytes, to and from the thread over a channel of its own. */
class ThreadStream extends Duplex {
  readonly #start: () => Promise<Worker>
  readonly #channel = new MessageChannel()

  constructor(start: () => Promise<Worker>) {
    super()
    this.#start = start
    this.#channel.port1.on("message", (bytes: Uint8Array) => this.push(Buffer.from(bytes.buffer as ArrayBuffer)))
    this.#channel.port1.on("close", () => this.push(null))
  }

  /** Emits `connect` once the thread accepts bytes, as a socket does. */
  connect(): this {
    this.#start().then(
      (worker) => {
        if (this.destroyed) return
        const onExit = (): void => void this.destroy(new Error("the embedded database ended"))
        worker.once("exit", onExit)
        this.once("close", () => worker.off("exit", onExit))
        const message: ToWorker = { connect: this.#channel.port2 }
        worker.postMessage(message, [this.#channel.port2])
        this.emit("connect")
      },
      (cause: Error) => this.destroy(cause)
    )
    return this
  }

  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#channel.port1.postMessage(...transfer(chunk))
    done()
  }
  override _writev(chunks: Array<{ chunk: Buffer }>, done: () => void): void {
    this.#channel.port1.postMessage(...transfer(Buffer.concat(chunks.map(({ chunk }) => chunk))))
    done()
  }
  override _final(done: () => void): void {
    this.push(null)
    done()
  }
  override _destroy(cause: Error | null, done: (cause: Error | null) => void): void {
    this.#channel.port1.close()
    done(cause)
  }

  // node-postgres calls these on a socket; a channel has no use for them.
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}

/** The thread of the database in this folder, or in memory. */
export const makeThread = (folder: string | undefined): EmbeddedThread => {
  let running: Promise<Worker> | undefined
  let closing = false
  let copies = 0

  const start = (): Promise<Worker> => {
    if (closing) return Promise.reject(new Error("the embedded database is closed"))
    if (running !== undefined) return running
    const starting = boot(folder)
    running = starting
    const forget = (): void => {
      if (folder !== undefined && running === starting) running = undefined
    }
    starting.then((worker) => {
      // An "error" without a listener would end the process; the "exit" after it tells the streams.
      worker.on("error", () => {})
      worker.once("exit", forget)
    }, forget)
    return starting
  }

  const close = async (): Promise<void> => {
    closing = true
    const worker = await running?.catch(() => undefined)
    if (worker === undefined) return
    const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()))
    if (worker.threadId === -1) return
    worker.postMessage({ close: true } satisfies ToWorker)
    await ended
  }

  const copy = async (to: string): Promise<void> => {
    const worker = await start()
    const { port1, port2 } = new MessageChannel()
    copies++
    try {
      await new Promise<void>((resolve, reject) => {
        const ended = (): void => reject(new Error("the embedded database ended"))
        worker.once("exit", ended)
        port1.once("message", (answer: CopyAnswer) => {
          worker.off("exit", ended)
          if (answer === "copied") resolve()
          else reject(errorOf(answer))
        })
        worker.postMessage({ copy: { to, answer: port2 } } satisfies ToWorker, [port2])
      })
    } finally {
      copies--
      port1.close()
    }
  }

  const stream = (): Duplex => new ThreadStream(start)

  const kill = async (): Promise<void> => {
    const worker = await running?.catch(() => undefined)
    await worker?.terminate()
  }

  return { start, stream, copy, copying: () => copies > 0, close, kill }
}
