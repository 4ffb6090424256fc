/**
 * One caller's place: bytes out, answers in, over a connection that is kept as long as it is good. Owns the socket and
 * how long is waited; judges nothing.
 */
import { connect, type Socket } from "node:net"
import { type Answer, AnswerReader } from "./answers.ts"
import type { RequestInput } from "./request-inputs.ts"

/** An answer that does not come within this time does not come. */
const answerMillisMax = 30_000
/** What may wait by what it asks for is not waited for to its end. */
const waitMillis = 1_500
/** Bytes to which no answer came so far; and how long after one another may come. */
const silenceMillis = 150
const quietMillis = 10

/** What came of an input. */
export interface Exchange {
  readonly answers: ReadonlyArray<Answer>
  /** `closed`: by the hub. `quiet`: nothing more came. */
  readonly end: "answered" | "closed" | "quiet" | "late"
  /** What came that is no answer, with its first bytes; undefined: nothing. */
  readonly stray: string | undefined
}

interface Waiting {
  readonly input: RequestInput
  readonly answers: Array<Answer>
  readonly reader: AnswerReader
  readonly done: (exchange: Exchange) => void
  timer: NodeJS.Timeout
}

/** One place. */
export class FuzzConnection {
  #socket: Socket | undefined
  #waiting: Waiting | undefined
  readonly #url: URL
  readonly #from: string

  constructor(url: URL, from: string) {
    this.#url = url
    this.#from = from
  }

  /** Sends an input and takes what comes. One that a kept connection lost is sent again on a new one. */
  async exchange(input: RequestInput): Promise<Exchange> {
    const wasKept = this.#socket !== undefined
    const first = await this.#send(input)
    const isLost = wasKept && first.end === "closed" && first.answers.length === 0 && !input.isRaw
    return isLost ? this.#send(input) : first
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #send(input: RequestInput): Promise<Exchange> {
    // bytes that are no request in order say something of a connection of their own only
    if (input.isRaw) this.close()
    return new Promise((done) => {
      const millis = input.isRaw ? silenceMillis : input.waits ? waitMillis : answerMillisMax
      const timer = setTimeout(() => this.#end(input.isRaw ? "quiet" : "late"), millis)
      this.#waiting = { input, answers: [], reader: new AnswerReader(), done, timer }
      this.#socket ??= this.#open()
      this.#socket.write(input.bytes)
    })
  }

  #open(): Socket {
    const { hostname, port } = this.#url
    const socket = connect({ host: hostname, port: Number(port), localAddress: this.#from }).setNoDelay(true)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => {
      if (this.#socket !== socket) return
      this.#socket = undefined
      this.#end("closed")
    })
    socket.on("data", (chunk) => {
      if (this.#socket === socket) this.#bytes(chunk)
    })
    return socket
  }

  #bytes(chunk: Buffer): void {
    const waiting = this.#waiting
    if (waiting === undefined) return this.close()
    const { input, answers, reader } = waiting
    reader.push(chunk, input.isHead && !input.isRaw, (answer) => answers.push(answer))
    if (input.isRaw) {
      clearTimeout(waiting.timer)
      waiting.timer = setTimeout(() => this.#end("quiet"), quietMillis)
      return
    }
    const [answer] = answers
    if (answer === undefined && !reader.isBroken) return
    const isOver = answer === undefined || answer.isStream || answer.headers.get("connection") === "close"
    if (isOver || reader.unread > 0 || input.operation === undefined) this.close()
    this.#end("answered")
  }

  #end(end: Exchange["end"]): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    clearTimeout(waiting.timer)
    if (end === "late" || end === "quiet") this.close()
    const { answers, reader } = waiting
    waiting.done({ answers, end, stray: reader.wrong })
  }
}
