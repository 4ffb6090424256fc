/**
 * Fuzzes the daemons' socket: many daemons, each with a row of frames on a connection, then connections of raw bytes.
 * Owns the order of the inputs and what of a connection is a finding.
 */
import { requestText } from "../../fixture.ts"
import { countEnd, find, type Tally } from "../findings.ts"
import { FuzzConnection } from "../http/connection.ts"
import { judgeAnswer } from "../http/judge-answer.ts"
import type { Contract } from "../http/operations.ts"
import type { RequestInput } from "../http/request-inputs.ts"
import { Random } from "../random.ts"
import { addressOf } from "../site.ts"
import { authInput, closingInput, type FrameInput, frameInput } from "./frame-inputs.ts"
import { FuzzSocket } from "./fuzz-socket.ts"
import { holdsClose, rawFrames } from "./raw-frames.ts"

/** A daemon that is fuzzed. */
export interface FuzzedDaemon {
  readonly daemonId: string
  readonly token: string
  /** A key of its account. */
  readonly key: string
}

/** What a row of inputs is played with. */
export interface SocketMaking {
  readonly url: URL
  readonly contract: Contract
  readonly tally: Tally
}

/** So many inputs make a row: the first frames go over one connection, each of the raw ones has its own. */
const rowInputs = 30
const rowFrames = 24
const answerMillisMax = 15_000
const commandMillisMax = 2_000
const silenceMillis = 150
const quietMillis = 10
const path = "/api/v1/daemons/connect"

/** Close codes of docs/daemon-protocol.md that may answer what a daemon does; 4500 is a fault of the hub. */
const codes = new Set([1000, 1001, 1012, 4400, 4401, 4403, 4404, 4408, 4409, 4413, 4423, 4429, 4503])

const within = (millis: number, ...events: ReadonlyArray<Promise<unknown>>): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), millis)
  for (const event of events) void event.then(() => resolve(true))
  return promise.finally(() => clearTimeout(timer))
}

const upgrade = (url: URL, token: string): Buffer =>
  Buffer.from(
    `GET ${path} HTTP/1.1\r\nhost: ${url.host}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
      `sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nauthorization: Bearer ${token}\r\n\r\n`
  )

const judgeSocket = (
  { contract, tally }: SocketMaking,
  socket: FuzzSocket,
  first: number,
  count: number,
  sent: ReadonlyArray<Buffer> = []
): void => {
  for (const wrong of socket.wrong) find(tally, `socket: ${wrong}`, first, count)
  for (const answer of socket.answers) {
    countEnd(tally, String(answer.status))
    const wrong = judgeAnswer(contract, { isHead: false }, answer)
    if (wrong !== undefined) find(tally, `upgrade: ${wrong}`, first, count)
  }
  if (socket.code === undefined) return
  countEnd(tally, `closed ${socket.code}`)
  if (!codes.has(socket.code) && !holdsClose(Buffer.concat(sent), socket.code))
    find(tally, `socket: closed with ${socket.code}`, first, count)
}

interface Row {
  readonly making: SocketMaking
  readonly daemon: FuzzedDaemon
  readonly from: string
  readonly at: number
}

/** A socket whose `auth` was taken; undefined where it was not. */
const letIn = async ({ making, daemon, from, at }: Row, auth: FrameInput): Promise<FuzzSocket | undefined> => {
  const socket = new FuzzSocket(making.url, from, upgrade(making.url, daemon.token))
  const { promise: isIn, resolve } = Promise.withResolvers<void>()
  socket.onFrame = ({ type }) => {
    if (type === "auth_ok") resolve()
  }
  let entered = false
  void isIn.then(() => {
    entered = true
  })
  await within(answerMillisMax, socket.opened, socket.closed)
  socket.message(auth.payload)
  if (!(await within(answerMillisMax, isIn, socket.closed)))
    find(making.tally, "socket: auth was not answered", at, rowInputs)
  if (entered) return socket
  judgeSocket(making, socket, at, rowInputs)
  socket.cut()
  return undefined
}

const asksFor = ["read_chat", "screenshot", "resolve_action", "send_chat", "terminal"]

/** A caller's command for the daemon, whose result is among the frames; its answer is judged too. */
const askCommand = (row: Row, random: Random, caller: FuzzConnection): Promise<void> => {
  const { making, daemon, at } = row
  const type = random.of(asksFor)
  const id = type === "terminal" ? "daemons.terminal" : "daemons.command"
  const operation = making.contract.operations.find((one) => one.id === id)!
  const payload = { input: { parts: [{ type: "text", text: "x" }] }, action: "approve", targetSessionId: "s1" }
  const input: RequestInput = {
    bytes: Buffer.from(
      requestText(making.url.href, {
        method: "POST",
        path: operation.path.replace("{daemonId}", daemon.daemonId),
        headers: { authorization: `Bearer ${daemon.key}`, "content-type": "application/json" },
        body: JSON.stringify(type === "terminal" ? { command: "x" } : { type, payload })
      })
    ),
    says: id,
    operation,
    of: id,
    isHead: false,
    isRaw: false,
    waits: false
  }
  return caller.exchange(input).then(({ answers, end }) => {
    const [answer] = answers
    const wrong =
      answer === undefined ? `${end}, no answer` : judgeAnswer(making.contract, { operation, isHead: false }, answer)
    if (wrong !== undefined) find(making.tally, `${id} of a fuzzed daemon: ${wrong}`, at, rowInputs)
  })
}

const playFrames = async (row: Row, indexes: ReadonlyArray<number>, caller: FuzzConnection): Promise<void> => {
  const { making, at } = row
  const randoms = indexes.map((index) => new Random(making.tally.seed, "socket", index))
  const isFirst = indexes[0] === at
  const usual = authInput(new Random(0, "auth", 0), undefined)
  const plain: FrameInput = { ...usual, payload: Buffer.from(usual.payload) }
  let socket = isFirst ? await letIn(row, authInput(randoms[0]!, undefined)) : undefined
  socket ??= await letIn(row, plain)
  if (socket === undefined) return countEnd(making.tally, "row not let in")
  let waiting: string | undefined
  const asked = Promise.withResolvers<void>()
  const read = Promise.withResolvers<void>()
  socket.onFrame = ({ type, data }) => {
    if (type !== "command") return
    waiting = String(data["id"])
    asked.resolve()
  }
  socket.onPong = () => read.resolve()
  const random = new Random(making.tally.seed, "socket-row", at)
  const answered = random.percent(40) ? askCommand(row, random, caller) : undefined
  if (answered !== undefined) await within(commandMillisMax, asked.promise, socket.closed, answered)
  for (const [nth, index] of indexes.entries()) {
    if (index === at) continue
    const isLast = index === at + rowFrames - 1
    const input = isLast ? closingInput(randoms[nth]!) : frameInput(randoms[nth]!, waiting)
    socket.message(input.payload, input.isBinary)
  }
  socket.ping()
  if (!(await within(answerMillisMax, read.promise, socket.closed)))
    find(making.tally, "socket: the hub reads no more", at, rowInputs)
  judgeSocket(making, socket, at, rowInputs)
  if (socket.code === undefined) countEnd(making.tally, "stays open")
  socket.cut()
  await answered
}

const playRaw = async ({ making, daemon, from }: Row, index: number): Promise<void> => {
  const {
    upgrade: head,
    opens,
    writes
  } = rawFrames(new Random(making.tally.seed, "socket", index), making.url.host, daemon.token)
  const socket = new FuzzSocket(making.url, from, head)
  const quiet = Promise.withResolvers<void>()
  if (opens) {
    await within(answerMillisMax, socket.opened, socket.closed)
    for (const bytes of writes) socket.raw(bytes)
    // where the socket still stands, the hub has read all that once it answers
    socket.onPong = () => quiet.resolve()
    socket.ping()
  }
  let timer = setTimeout(quiet.resolve, silenceMillis)
  socket.onBytes = () => {
    clearTimeout(timer)
    timer = setTimeout(quiet.resolve, quietMillis)
  }
  await Promise.race([quiet.promise, socket.closed])
  clearTimeout(timer)
  judgeSocket(making, socket, index, 1, writes)
  if (socket.code === undefined) countEnd(making.tally, socket.isOpen ? "cut off or quiet" : "no socket")
  socket.cut()
}

/** Plays the inputs from `first` on, a row at a time for each daemon. */
export const fuzzSockets = async (
  making: SocketMaking,
  daemons: ReadonlyArray<FuzzedDaemon>,
  first: number,
  count: number,
  step: (done: number) => void
): Promise<void> => {
  const { tally } = making
  const end = first + count
  let next = first - (first % rowInputs)
  let done = 0
  const player = async (daemon: FuzzedDaemon, nth: number): Promise<void> => {
    const from = addressOf(nth)
    const caller = new FuzzConnection(making.url, from)
    while (next < end) {
      const at = next
      next += rowInputs
      const row: Row = { making, daemon, from, at }
      const indexes = Array.from({ length: rowInputs }, (_, n) => at + n).filter((one) => one >= first && one < end)
      const frames = indexes.filter((index) => index < at + rowFrames)
      if (frames.length > 0) await playFrames(row, frames, caller)
      for (const index of indexes) if (index >= at + rowFrames) await playRaw(row, index)
      tally.inputs += indexes.length
      tally.structured += frames.length
      done += indexes.length
      step(done)
    }
    caller.close()
  }
  await Promise.all(daemons.map(player))
}
