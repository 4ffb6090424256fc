/**
 * The Tasks extension of MCP (`io.modelcontextprotocol/tasks`) over stored commands: a task is a command that outlives
 * its call, its id the command's. Owns the shapes; the row is the truth, so any node answers.
 */
import { ProtocolError, ProtocolErrorCode, type Result } from "@modelcontextprotocol/server"
import type { CommandState } from "../../src/domain/command/stored-command.ts"
import { commandKeepMillis } from "../../src/limits/commands.ts"
import { taskPollMillis } from "../../src/limits/mcp.ts"
import type { CallOperation, McpCall } from "./tool-calls.ts"
import { resultWith, valueOf } from "./tool-result.ts"

/** The extension's name, in capabilities. */
export const tasksExtension = "io.modelcontextprotocol/tasks"

/** A stored command, as its operation answers. */
interface StoredCommand {
  readonly commandId: string
  readonly state: CommandState
  readonly createdAt: number
  readonly deadlineAt: number
  readonly finishedAt: number | null
  readonly durationMs: number | null
  readonly error?: string
  readonly daemonCode?: string
  readonly resultOmitted?: string
  readonly result?: unknown
}

const iso = (millis: number): string => new Date(millis).toISOString()

const common = ({ commandId, createdAt, deadlineAt, finishedAt }: StoredCommand) => ({
  taskId: commandId,
  createdAt: iso(createdAt),
  lastUpdatedAt: iso(finishedAt ?? createdAt),
  ttlMs: deadlineAt - createdAt + commandKeepMillis,
  pollIntervalMs: taskPollMillis
})

/** The task that a call has become. */
export const startedTask = (record: object): Result => ({
  resultType: "task",
  status: "working",
  ...common(record as StoredCommand)
})

/** What the tool would have answered, had its call waited. */
const resultOf = (kept: StoredCommand) => {
  const { state, result, resultOmitted, error, daemonCode, commandId, durationMs } = kept
  if (state !== "succeeded" && state !== "failed")
    return { isError: true, content: [{ type: "text" as const, text: JSON.stringify(kept) }] }
  return resultWith({
    success: state === "succeeded",
    ...(result === undefined ? {} : { result }),
    ...(resultOmitted === undefined ? {} : { resultOmitted }),
    ...(state === "failed" ? { error: error ?? "The daemon refused the command." } : {}),
    ...(daemonCode === undefined ? {} : { daemonCode }),
    commandId,
    durationMs: durationMs ?? 0
  })
}

/** The task as it is now. */
const taskOf = (kept: StoredCommand): Result => {
  if (kept.state === "pending") return { ...common(kept), status: "working" }
  if (kept.state === "cancelled") return { ...common(kept), status: "cancelled" }
  return { ...common(kept), status: "completed", result: resultOf(kept) }
}

const failure = (status: number, value: Readonly<Record<string, unknown>> | undefined): ProtocolError =>
  status === 404
    ? new ProtocolError(ProtocolErrorCode.InvalidParams, "Task not found")
    : new ProtocolError(ProtocolErrorCode.InternalError, String(value?.["error"] ?? "The task cannot be read"), value)

const record = async (callOperation: CallOperation, call: McpCall, operation: string, commandId: string) => {
  const answer = await callOperation(call, operation, { commandId })
  const value = valueOf(call, answer)
  if (value === undefined || answer.status >= 400) throw failure(answer.status, value)
  return value as unknown as StoredCommand
}

/** The methods of the extension, by name. */
export const taskMethods = (callOperation: CallOperation) => ({
  "tasks/get": async (call: McpCall, taskId: string): Promise<Result> =>
    taskOf(await record(callOperation, call, "commands.get", taskId)),
  "tasks/cancel": async (call: McpCall, taskId: string): Promise<Result> => {
    await record(callOperation, call, "commands.cancel", taskId)
    return {}
  },
  // a command asks nothing: what came is for no question of it
  "tasks/update": async (call: McpCall, taskId: string): Promise<Result> => {
    await record(callOperation, call, "commands.get", taskId)
    return {}
  }
})
