/**
 * A line between a node and a server of this machine, with the faults of a network: bytes that wait, that come late or
 * never, connections that are reset, and answers that are lost after the server has done what was asked. Owns the
 * connections through it; what passes is read by the watch alone.
 */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** Reads what passes through one connection. */
export interface LineWatch {
  readonly request: (bytes: Buffer) => void
  /** Whether this answer, and the connection with it, is lost. */
  readonly isLost: (bytes: Buffer) => boolean
}

/** The line. */
export interface FaultyLine {
  readonly port: number
  /** Nothing passes: bytes wait, and a new connection waits with them. */
  readonly stall: () => void
  /** What waits passes after all, as late as it is. */
  readonly release: () => void
  /** All connections are reset, with what waits; a new one is too, until `mend`. */
  readonly cut: () => void
  /** All connections are reset, once. */
  readonly reset: () => void
  /** Whole again; what waits is lost with its connections. */
  readonly mend: () => void
  /** From now on requests and answers come so much later; 0: at once. */
  readonly delay: (requestMillis: number, answerMillis: number) => void
  readonly close: () => Promise<void>
}

/** One direction of one connection: works are done in order, each when it is due and while nothing stalls. */
class Lane {
  private readonly waiting: Array<{ readonly work: () => void; readonly due: number }> = []
  private readonly isStalled: () => boolean
  private readonly millis: () => number
  private timer: NodeJS.Timeout | undefined

  constructor(isStalled: () => boolean, millis: () => number) {
    this.isStalled = isStalled
    this.millis = millis
  }

  push(work: () => void): void {
    const due = Math.max(performance.now() + this.millis(), this.waiting.at(-1)?.due ?? 0)
    this.waiting.push({ work, due })
    this.run()
  }

  run(): void {
    clearTimeout(this.timer)
    while (!this.isStalled() && this.waiting.length > 0) {
      const late = this.waiting[0]!.due - performance.now()
      if (late > 0) {
        this.timer = setTimeout(() => this.run(), late)
        return
      }
      this.waiting.shift()!.work()
    }
  }

  clear(): void {
    clearTimeout(this.timer)
    this.waiting.length = 0
  }
}

/** One connection. */
class Pair {
  readonly lanes: ReadonlyArray<Lane>
  private readonly ends: readonly [Socket, Socket]

  constructor(near: Socket, far: Socket, lanes: readonly [Lane, Lane], watch: LineWatch | undefined, over: () => void) {
    this.ends = [near, far]
    this.lanes = lanes
    const [requests, answers] = lanes
    for (const end of this.ends) {
      end.setNoDelay(true)
      end.on("error", () => {})
    }
    near.on("data", (bytes: Buffer) => {
      watch?.request(bytes)
      requests.push(() => far.write(bytes))
    })
    far.on("data", (bytes: Buffer) => {
      if (watch?.isLost(bytes) === true) this.reset()
      else answers.push(() => near.write(bytes))
    })
    near.once("close", () => requests.push(() => far.destroy()))
    far.once("close", () => answers.push(() => near.destroy()))
    for (const end of this.ends) {
      end.once("close", () => {
        if (near.destroyed && far.destroyed) over()
      })
    }
  }

  reset(): void {
    for (const lane of this.lanes) lane.clear()
    const [near, far] = this.ends
    near.resetAndDestroy()
    far.destroy()
  }
}

/** A line to a port of this machine, at an address of it. */
export const startFaultyLine = async (
  to: number,
  { host = "127.0.0.1", watch }: { readonly host?: string; readonly watch?: () => LineWatch } = {}
): Promise<FaultyLine> => {
  const pairs = new Set<Pair>()
  let state: "whole" | "stalled" | "cut" = "whole"
  let [requestMillis, answerMillis] = [0, 0]
  const isStalled = (): boolean => state === "stalled"
  const server = createServer((near) => {
    near.on("error", () => {})
    if (state === "cut") return void near.resetAndDestroy()
    const far = connect({ port: to, host: "127.0.0.1" })
    const lanes = [new Lane(isStalled, () => requestMillis), new Lane(isStalled, () => answerMillis)] as const
    const pair: Pair = new Pair(near, far, lanes, watch?.(), () => void pairs.delete(pair))
    pairs.add(pair)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const reset = (): void => {
    for (const pair of pairs) pair.reset()
    pairs.clear()
  }
  return {
    port: (server.address() as AddressInfo).port,
    stall: () => {
      state = "stalled"
    },
    release: () => {
      state = "whole"
      for (const { lanes } of pairs) for (const lane of lanes) lane.run()
    },
    cut: () => {
      state = "cut"
      reset()
    },
    reset,
    mend: () => {
      if (state === "stalled") reset()
      state = "whole"
    },
    delay: (request, answer) => {
      requestMillis = request
      answerMillis = answer
    },
    close: () =>
      new Promise((resolve) => {
        state = "cut"
        reset()
        server.close(() => resolve())
      })
  }
}
