/**
 * The contract of daemons: list, status, raw commands, terminal, disconnect, revoke, enrol. Owns paths and shapes;
 * answers nothing.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { rawTypes } from "../../src/domain/command/raw-command.ts"
import { daemonNameCharsMax, listPageMax, terminalCommandBytesMax } from "../../src/limits.ts"
import { wireKey } from "../../src/protocol/wire-key.ts"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import { preferHeader, StartedCommand, startedAnswers, timeoutSeconds } from "./commands.ts"
import { DaemonList, DaemonStatus } from "./daemon-shapes.ts"
import {
  bodyFailures,
  commandFailures,
  failures,
  idempotentFailures,
  recentLoginFailures,
  scopedFailures
} from "./failures.ts"
import { optional } from "./optional.ts"
import {
  CommandAnswer,
  commanded,
  DaemonParam,
  findingQuery,
  Name,
  pageQuery,
  Refusal,
  removed,
  selectorQuery,
  TerminalResult,
  Words
} from "./shapes.ts"
import { NewTags, Tagged } from "./tags.ts"

const maybe = Schema.optionalKey
const flag = Schema.Boolean

const TerminalDone = Schema.Struct({ success: Schema.Literal(true), result: TerminalResult, ...commanded }).annotate({
  identifier: "TerminalDone"
})

const TerminalAnswer = Schema.Union([TerminalDone, Refusal]).annotate({ identifier: "TerminalAnswer" })
const Disconnected = Schema.Struct({ success: Schema.Literal(true), wasConnected: flag }).annotate({
  identifier: "Disconnected"
})
const RemovedDaemon = removed("RemovedDaemon")
const Enrolled = Schema.Struct({
  daemonId: Schema.String,
  token: maybe(Schema.String).annotate({ description: "Shown once" })
}).annotate({ identifier: "Enrolled" })

const RawCommand = Schema.Struct({
  ...timeoutSeconds,
  // readRawCommand refuses other types, after the Idempotency-Key was judged
  type: Schema.String.annotate({ [wireKey]: { type: "string", enum: rawTypes } }),
  payload: optional(
    Schema.Record(Schema.String, Schema.Unknown),
    "`targetSessionId` addresses a session; without it the daemon picks"
  )
}).annotate({ identifier: "RawCommand" })
const TerminalCommand = Schema.Struct({
  ...timeoutSeconds,
  command: Schema.String.annotate({ description: `Not blank, at most ${terminalCommandBytesMax} bytes` }),
  name: optional(Schema.String, "Empty is absent, of `cwd` too"),
  cwd: optional(Schema.String)
}).annotate({ identifier: "TerminalCommand" })
const Enrollment = Schema.Struct({
  name: optional(Name(daemonNameCharsMax)),
  daemonId: optional(Schema.String, "A daemon of this account that comes back")
}).annotate({ identifier: "Enrollment" })

const path = "/api/v1/daemons"
const read = { kind: "any", scope: "ide:read", onHangUp: "cancel" } as const
const command = { kind: "any", onHangUp: "cancel", audits: "command.sent" } as const
const change = { kind: "any", scope: "ide:control", recent: true, onHangUp: "finish" } as const
const manage = { ...change, role: "admin" } as const

/** `/api/v1/daemons`. */
export const Daemons = HttpApiGroup.make("daemons")
  .annotateMerge(
    OpenApi.annotations({
      description: "Daemons: their list and status, raw commands, terminal commands, and their enrolment."
    })
  )
  .add(
    HttpApiEndpoint.get("list", path, {
      query: {
        include: maybe(Schema.Literal("offline").annotate({ description: "Adds the daemons that are offline" })),
        ...selectorQuery,
        ...findingQuery,
        ...pageQuery(listPageMax, "for pages of that size")
      },
      success: DaemonList,
      error: failures(...scopedFailures, "ValidationFailed", "Overloaded")
    })
      .annotate(Words, [
        "List daemons",
        `All that are connected now, by hostname; \`include=offline\` adds the others, by id, up to ${listPageMax} a page. With \`limit\` the connected ones come in pages too, by id. A daemon that goes offline between two pages may come a second time; none is left out. With \`q\`, \`status\`, \`update\` or \`sort\` the answer has \`total\` and \`onlineTotal\`, and the connected ones come first, each part in order.`
      ])
      .annotateMerge(access({ ...read, tool: "list_daemons" })),
    HttpApiEndpoint.get("status", `${path}/:daemonId/status`, {
      params: DaemonParam,
      success: DaemonStatus,
      error: failures(...scopedFailures, "NotFound", "Overloaded")
    })
      .annotate(Words, ["Status of a daemon", "Answered from what the daemon last reported, also while it is offline."])
      .annotateMerge(access({ ...read, tool: "get_daemon_status" })),
    HttpApiEndpoint.post("command", `${path}/:daemonId/command`, {
      params: DaemonParam,
      ...preferHeader,
      payload: RawCommand,
      success: [CommandAnswer, StartedCommand],
      error: failures(
        ...scopedFailures,
        ...bodyFailures,
        ...idempotentFailures,
        ...commandFailures,
        "CommandLimitReached",
        "PromptChanged",
        "AmbiguousTarget"
      )
    })
      .annotateMerge(startedAnswers)
      .annotate(Words, [
        "Send a raw command",
        "One of seven types, sent at most once; an answer is awaited for up to 60 s."
      ])
      .annotateMerge(access({ ...command, scope: "ide:control", tool: "send_command" })),
    HttpApiEndpoint.post("terminal", `${path}/:daemonId/terminal`, {
      params: DaemonParam,
      ...preferHeader,
      payload: TerminalCommand,
      success: [TerminalAnswer, StartedCommand],
      error: failures(
        ...scopedFailures,
        ...bodyFailures,
        ...idempotentFailures,
        ...commandFailures,
        "CommandLimitReached"
      )
    })
      .annotateMerge(startedAnswers)
      .annotate(Words, ["Run a terminal command", "An exit code other than 0 is still a success of this call."])
      .annotateMerge(access({ ...command, scope: "terminal:exec", tool: "run_terminal_command" })),
    HttpApiEndpoint.post("disconnect", `${path}/:daemonId/disconnect`, {
      params: DaemonParam,
      success: Disconnected,
      error: failures(...recentLoginFailures, ...idempotentFailures, "NotFound", "Overloaded")
    })
      .annotate(Words, ["Disconnect a daemon", "It may come back by itself."])
      .annotateMerge(access({ ...change, audits: "daemon.disconnected", notes: "success too" })),
    HttpApiEndpoint.post("revoke", `${path}/:daemonId/revoke`, {
      params: DaemonParam,
      success: Disconnected,
      error: failures(...recentLoginFailures, ...idempotentFailures, "NotFound", "Overloaded")
    })
      .annotate(Words, [
        "Revoke a daemon's token",
        "For ever. The daemon comes back by a new token for the same daemon id."
      ])
      .annotateMerge(access({ ...manage, audits: "daemon.revoked" })),
    HttpApiEndpoint.delete("remove", `${path}/:daemonId`, {
      params: DaemonParam,
      success: RemovedDaemon,
      error: failures(...recentLoginFailures, "NotFound", "DaemonOnline", "DaemonSocketLost", "Overloaded")
    })
      .annotate(Words, [
        "Remove a daemon",
        "For ever, with its tokens. 409 while it is connected or in its grace: revoke it first."
      ])
      .annotateMerge(access({ ...manage, audits: "daemon.removed" })),
    HttpApiEndpoint.put("tag", `${path}/:daemonId/tags`, {
      params: DaemonParam,
      payload: NewTags,
      success: Tagged,
      error: failures(...recentLoginFailures, ...bodyFailures, "NotFound")
    })
      .annotate(Words, [
        "Tag a daemon",
        "Replaces the tags that the owner gave it; what the daemon says of itself stays beneath. In force on every node at once."
      ])
      .annotateMerge(access({ ...manage, bodyBytes: 65_536, audits: "daemon.tagged" })),
    HttpApiEndpoint.post("enroll", `${path}/enroll`, {
      payload: Enrollment,
      success: Enrolled.pipe(HttpApiSchema.status(201)),
      error: failures(...recentLoginFailures, ...bodyFailures, ...idempotentFailures, "NotFound", "DaemonLimitReached")
    })
      .annotateMerge(answers({ headers: ["Cache-Control"] }))
      .annotate(Words, [
        "Enrol a daemon",
        "Gives the token that the daemon connects with. Over the plan's daemons: 403 `DAEMON_LIMIT_REACHED`."
      ])
      .annotateMerge(access({ ...manage, bodyBytes: 16_384, secrets: ["token"], audits: "daemon.enrolled" }))
  )
