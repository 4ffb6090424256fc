/**
 * The contract of stored commands: one by its id, their list, cancel; and what the routes that send commands take and
 * answer for them. Owns paths and shapes; answers nothing.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { commandStates } from "../../src/domain/command/stored-command.ts"
import {
  commandSecondsMax,
  commandsPageMax,
  commandWaitSecondsMax,
  storedResultBytesMax
} from "../../src/limits/commands.ts"
import { wireKey } from "../../src/protocol/wire-key.ts"
import { access, type DeclaredAccess } from "./access.ts"
import { answers } from "./answers.ts"
import { commandsPath } from "./command-path.ts"
import { failures, idempotentFailures, scopedFailures } from "./failures.ts"
import { optional } from "./optional.ts"
import {
  LogPage,
  LogStream,
  lastEventId,
  logAfter,
  logFailures,
  logLimit,
  logStreamFailures,
  streamWords
} from "./sessions.ts"
import { millis, nextCursorOfFiltered, pageQuery, terminalOutcome, Words } from "./shapes.ts"

const maybe = Schema.optionalKey

/** The header by which a caller does not wait for the daemon. */
export const preferHeader = {
  headers: Schema.Struct({
    prefer: maybe(
      Schema.String.annotate({
        description: "`respond-async`: answered 202 once the command is sent; its result is kept for 24 hours"
      })
    )
  })
}

/** How long a command may take, in its body. Its bounds are checked where it is known whether the caller waits. */
export const timeoutSeconds = {
  timeoutSeconds: optional(
    Schema.Finite.annotate({ [wireKey]: { type: "integer", minimum: 1, maximum: commandSecondsMax } }),
    `How long it may take; without \`Prefer: respond-async\` at most ${commandWaitSecondsMax}, where the operator allows no more`
  )
}

const state = Schema.Literals(commandStates).annotate({ identifier: "CommandState" })

const common = {
  ...terminalOutcome,
  command: maybe(Schema.String).annotate({
    description: "What a terminal command ran, where the operator has it kept: its first word, or its text"
  }),
  commandId: Schema.String,
  daemonId: Schema.String,
  type: Schema.String,
  state,
  createdAt: millis,
  deadlineAt: millis.annotate({ description: "Epoch milliseconds: without a result it is `timed_out` soon after" }),
  cancelRequestedAt: Schema.NullOr(millis),
  finishedAt: Schema.NullOr(millis),
  durationMs: Schema.NullOr(Schema.Int).annotate({ description: "From its acceptance to its end" }),
  error: maybe(Schema.String).annotate({ description: "The daemon's own words" }),
  daemonCode: maybe(Schema.String).annotate({ description: "The daemon's own code" }),
  resultOmitted: maybe(Schema.Literals(["RESULT_TOO_LARGE", "RESULT_NOT_KEPT"])).annotate({
    description: `Why a result that came is not here: it has more than ${storedResultBytesMax} bytes, or the account keeps as many as its plan allows`
  })
}

/** A stored command without its result. */
const CommandRecord = Schema.Struct(common).annotate({ identifier: "CommandRecord" })

/** One that was over when its end was asked for. */
const EndedCommand = Schema.Struct({
  ...common,
  warnings: maybe(Schema.Array(Schema.String)).annotate({ description: "What goes on all the same" })
}).annotate({ identifier: "EndedCommand" })

const StoredCommand = Schema.Struct({
  ...common,
  result: maybe(Schema.Unknown).annotate({ description: "As the call that waits would have answered it" })
}).annotate({ identifier: "StoredCommand" })

const CommandList = Schema.Struct({
  commands: Schema.Array(CommandRecord),
  nextCursor: nextCursorOfFiltered
}).annotate({ identifier: "CommandList" })

/** The second success of a route that sends a command. */
export const StartedCommand = CommandRecord.pipe(HttpApiSchema.status(202))
export const startedAnswers = answers({ optionalHeaders: ["Location", "Preference-Applied"] })

const visibility =
  "A command is shown to a credential that may send it: `terminal:exec` for terminal commands, `ide:control` for the others, `agent:control` and `agent:read` for those of the chat routes."
const senders = ["ide:control", "terminal:exec", "agent:control", "agent:read"] as const
const reading: DeclaredAccess = { kind: "any", anyScope: senders, onHangUp: "cancel" }
const outputPath = `${commandsPath}/:commandId/output` as const
const outputWords =
  "`output` (`{stream, text}`) and at the end `exit` (`{exitCode}`), asked of the daemon, which keeps a bounded part in memory for a while; the hub keeps none of it. 404 also when the daemon has none."
const one = { commandId: Schema.String.annotate({ description: "Id of a command of this account" }) }

/** `/api/v1/commands`. */
export const Commands = HttpApiGroup.make("commands")
  .annotateMerge(OpenApi.annotations({ description: "Commands that outlive their call, kept for 24 hours." }))
  .add(
    HttpApiEndpoint.get("list", commandsPath, {
      query: {
        daemonId: maybe(Schema.String.annotate({ description: "Only those of this daemon" })),
        state: maybe(Schema.Literals(commandStates).annotate({ description: "Only those in this state" })),
        ...pageQuery(commandsPageMax, "which it is when absent")
      },
      success: CommandList,
      error: failures(...scopedFailures, "ValidationFailed")
    })
      .annotate(Words, ["List kept commands", `Newest first, without their results. ${visibility}`])
      .annotateMerge(access({ ...reading, tool: "list_commands" })),
    HttpApiEndpoint.get("get", `${commandsPath}/:commandId`, {
      params: one,
      success: StoredCommand,
      error: failures(...scopedFailures, "NotFound", "Overloaded")
    })
      .annotate(Words, [
        "A kept command and its result",
        `\`timed_out\` and \`lost\` say that the hub does not know how it ended; a result that still comes replaces them. ${visibility}`
      ])
      .annotateMerge(access({ ...reading, tool: "get_command" })),
    HttpApiEndpoint.post("cancel", `${commandsPath}/:commandId/cancel`, {
      params: one,
      success: [EndedCommand, StartedCommand],
      error: failures(...scopedFailures, ...idempotentFailures, "NotFound", "CommandNotCancellable")
    })
      .annotate(Words, [
        "Cancel a command",
        "202: the daemon is told, now or when it comes back, and the command ends as `cancelled`, or as it did before. 200: it was over already."
      ])
      .annotateMerge(access({ ...reading, onHangUp: "finish", audits: false, tool: "cancel_command" })),
    HttpApiEndpoint.get("output", outputPath, {
      params: one,
      query: { ...logAfter, ...logLimit },
      success: LogPage,
      error: logFailures
    })
      .annotate(Words, ["What a terminal command wrote", outputWords])
      .annotateMerge(access({ ...reading, tool: "read_command_output" })),
    HttpApiEndpoint.get("outputStream", `${outputPath}/stream`, {
      params: one,
      query: logAfter,
      headers: lastEventId,
      success: LogStream,
      error: logStreamFailures
    })
      .annotateMerge(answers({ headers: ["Cache-Control", "X-Accel-Buffering"] }))
      .annotate(Words, [
        "The output of a terminal command as it is written (Server-Sent Events)",
        `${outputWords} ${streamWords}`
      ])
      .annotateMerge(access({ ...reading, streams: "LogEvent" }))
  )
