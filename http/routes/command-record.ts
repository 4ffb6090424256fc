/** Encodes stored commands: a record, and a record with its result. Owns these shapes; reads no store. */
import { Effect } from "effect"
import type { WorkerThread } from "../../actors/runtime/worker-thread.ts"
import type { StoredCommand } from "../../src/domain/command/stored-command.ts"
import { terminalResult } from "../../src/domain/command/terminal.ts"
import type { TerminalOutcome } from "../../src/domain/command/terminal-outcome.ts"
import { costOf } from "../../src/domain/limits/cost.ts"
import { heavyFrameCost, largeFrameBytes } from "../../src/limits.ts"
import { extentOf } from "../../src/protocol/codec.ts"
import { isRecord } from "../../src/protocol/is-record.ts"
import { type Answer, jsonBytes, jsonText } from "../pipeline/response.ts"

/** How a terminal command ended, in an answer. */
const outcomeMembers = (outcome: TerminalOutcome | undefined) =>
  outcome === undefined
    ? {}
    : { exitCode: outcome.exitCode, ...(outcome.output !== undefined && { output: outcome.output }) }

/** A stored command without its result. */
export const recordOf = (command: StoredCommand) => {
  const { commandId, daemonId, type, state, createdAt, deadlineAt, cancelAt, finishedAt, error, code, omitted } =
    command
  return {
    commandId,
    daemonId,
    type,
    state,
    createdAt,
    deadlineAt,
    cancelRequestedAt: cancelAt ?? null,
    finishedAt: finishedAt ?? null,
    durationMs: finishedAt === undefined ? null : Math.max(0, finishedAt - createdAt),
    ...(error !== undefined && { error }),
    ...(code !== undefined && { daemonCode: code }),
    ...(omitted !== undefined && { resultOmitted: omitted }),
    ...(command.said !== undefined && { command: command.said }),
    ...outcomeMembers(command.outcome)
  }
}

const withResult = (record: object, json: string): Answer =>
  jsonText(`${JSON.stringify(record).slice(0, -1)},"result":${json}}`)

/** Whether reading a result would hold the loop: it has many bytes, or many small values. */
const isDear = (json: string): boolean =>
  json.length >= largeFrameBytes || costOf(json.length, extentOf(json)) > heavyFrameCost

/** A stored command with its result, which is JSON as its daemon wrote it. A terminal's has the shape of its route. */
export const recordWith = (
  { ask }: WorkerThread["Service"],
  command: StoredCommand,
  json: string
): Effect.Effect<Answer> => {
  const record = recordOf(command)
  if (command.type !== "terminal_exec") return Effect.succeed(withResult(record, json))
  if (isDear(json)) {
    const asked = { task: "terminal", bytes: new Uint8Array(Buffer.from(json)), carried: record } as const
    return Effect.map(ask(command.accountId, asked), (done) =>
      done?.done === "answer" ? jsonBytes(done.bytes) : withResult(record, json)
    )
  }
  const given: unknown = JSON.parse(json)
  return Effect.succeed(withResult(record, isRecord(given) ? JSON.stringify(terminalResult(given)) : json))
}
