/**
 * Reads of logs at daemons. Owns how many of one daemon are under way at once, so that they leave room for its
 * commands, and what an answer means. Sends through the directory.
 */
import { Effect, type Fiber } from "effect"
import type { CommandAnswer, CommandFailure } from "../../src/domain/command/command.ts"
import { costOf } from "../../src/domain/limits/cost.ts"
import type { LogPage } from "../../src/domain/log/log.ts"
import type { Position } from "../../src/domain/log/position.ts"
import { frameCostMax } from "../../src/limits/cost.ts"
import { logPageBytesMax, logReadMillisMax, logReadsPerDaemonMax, logReadsWaitingMax } from "../../src/limits/logs.ts"
import { largeFrameBytes } from "../../src/limits.ts"
import { extentOf, isTooFull } from "../../src/protocol/codec.ts"
import { LargeResult, textOfBytes } from "../../src/protocol/large-frame.ts"
import { readLogPage } from "../../src/protocol/log-frames.ts"
import { count } from "../../src/runtime/metrics.ts"
import type { Directory } from "../commands/directory.ts"
import type { WhichLog } from "./log-feed.ts"

/** An answer to `read_log`: a page, no such log, a daemon without the feature, or nothing that can be read. */
export type ReadAnswer = LogPage | "absent" | "unsupported" | "failed"

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value of a large result; undefined: it holds too much. What it costs is charged before it is parsed. */
const valueOf = ({ bytes }: LargeResult, charge: (cost: number) => void): unknown => {
  const text = textOfBytes(bytes)
  const extent = extentOf(text)
  const isFull = isTooFull(extent, frameCostMax)
  charge(isFull ? bytes.byteLength : costOf(bytes.byteLength, extent))
  return isFull ? undefined : parsed(text)
}

const pageIn = (result: unknown, charge: (cost: number) => void): LogPage | "failed" => {
  const isLarge = result instanceof LargeResult
  const chars = isLarge ? result.bytes.byteLength : largeFrameBytes
  if (chars > logPageBytesMax) return "failed"
  // one that is not large was charged by its size and values when its frame was read
  if (!isLarge) charge(chars)
  const read = readLogPage(isLarge ? valueOf(result, charge) : result, chars)
  if (read !== undefined && read.misfits > 0) count("hub_log_dropped_total", "misfit", read.misfits)
  return read?.read ?? "failed"
}

/** What an answer means. */
const readAnswerOf =
  (charge: (cost: number) => void) =>
  ({ success, result, code }: CommandAnswer): ReadAnswer => {
    if (success) return pageIn(result, charge)
    if (code === "log_not_found") return "absent"
    return code === "feature_missing" ? "unsupported" : "failed"
  }

/** Asks a daemon for a page behind a position. `charge` is told what parsing the answer costs. */
export const readPage = (
  { command }: Pick<Directory["Service"], "command">,
  charge: (cost: number) => void,
  { accountId, daemonId, log }: WhichLog,
  { logId, seq }: Pick<Position, "logId" | "seq">,
  limit: number,
  deltas: boolean
): Effect.Effect<ReadAnswer, CommandFailure> => {
  const after = logId === undefined ? {} : { after: { logId, seq } }
  const payload = { log: { kind: log.kind, id: log.id }, ...after, limit, deltas }
  const asked = { accountId, daemonId, type: "read_log" as const, payload, deadlineMs: logReadMillisMax }
  return Effect.map(command(asked), readAnswerOf(charge))
}

interface Line {
  running: number
  readonly waiting: Array<() => void>
}

/** Runs reads, a few of each daemon at once. */
export class DaemonReads {
  private readonly lines = new Map<string, Line>()
  private readonly run: (work: Effect.Effect<ReadAnswer>) => Fiber.Fiber<ReadAnswer>

  constructor(run: (work: Effect.Effect<ReadAnswer>) => Fiber.Fiber<ReadAnswer>) {
    this.run = run
  }

  /** Starts a read, or has it wait for its turn; `then` is called once, never at once. */
  start(daemonId: string, read: Effect.Effect<ReadAnswer, unknown>, then: (answer: ReadAnswer) => void): void {
    const line = this.lines.get(daemonId) ?? { running: 0, waiting: [] }
    this.lines.set(daemonId, line)
    const begin = (): void => {
      line.running++
      const fiber = this.run(Effect.catchCause(read, () => Effect.succeed("failed" as const)))
      fiber.addObserver((exit) => {
        line.running--
        const next = line.waiting.shift()
        if (next !== undefined) next()
        else if (line.running === 0) this.lines.delete(daemonId)
        then(exit._tag === "Success" ? exit.value : "failed")
      })
    }
    if (line.running < logReadsPerDaemonMax) begin()
    else if (line.waiting.length < logReadsWaitingMax) line.waiting.push(begin)
    else queueMicrotask(() => then("failed"))
  }
}
