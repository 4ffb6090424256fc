/**
 * The contract of daemons: list, status, raw commands, terminal, disconnect, revoke, enrol. Owns paths and shapes;
 * answers nothing.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { rawTypes } from "../../src/domain/command/raw-command.ts"
import { daemonNameCharsMax, listPageMax, problemsShownMax, terminalCommandBytesMax } from "../../src/limits.ts"
import { wireKey } from "../../src/protocol/wire-key.ts"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import { preferHeader, StartedCommand, startedAnswers, timeoutSeconds } from "./commands.ts"
import { DaemonUpdate } from "./daemon-versions.ts"
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
  AgentState,
  CommandAnswer,
  commanded,
  DaemonParam,
  findingQuery,
  foundTotals,
  millis,
  Name,
  pageQuery,
  Refusal,
  selectorQuery,
  TerminalResult,
  Workspace
} from "./shapes.ts"
import { NewTags, Tagged, TagValues } from "./tags.ts"

const maybe = Schema.optionalKey
const flag = Schema.Boolean

const place = {
  id: Schema.String,
  type: Schema.String,
  workspaceName: Schema.NullOr(Schema.String).annotate({
    description: "Of an IDE its workspace's name, of a CLI or an ACP agent its working directory; null when unknown"
  })
}
const Ide = Schema.Struct({ ...place, cdpConnected: flag }).annotate({ identifier: "IdeTarget" })
const Cli = Schema.Struct({ ...place, name: Schema.String }).annotate({ identifier: "CliTarget" })
const Acp = Schema.Struct(place).annotate({ identifier: "AcpTarget" })

/** A daemon in the list. */
export const Daemon = Schema.Struct({
  id: Schema.String,
  hostname: Schema.String,
  nickname: Schema.String.annotate({ description: "Empty when unset" }),
  platform: Schema.String,
  version: Schema.String,
  tags: TagValues.annotate({ description: "The owner's tags, and the daemon's own of other keys" }),
  online: flag.annotate({ description: "Connected now, or lost less than the grace ago" }),
  cdpConnected: flag.annotate({ description: "Whether any IDE is connected" }),
  connectedAt: Schema.NullOr(millis),
  lastSeenAt: Schema.NullOr(millis),
  ides: Schema.Array(Ide),
  clis: Schema.Array(Cli),
  acps: Schema.Array(Acp),
  update: maybe(DaemonUpdate).annotate({ description: "Where a policy of versions applies to it" })
}).annotate({ identifier: "Daemon" })

const DaemonList = Schema.Struct({
  daemons: Schema.Array(Daemon),
  nextCursor: maybe(Schema.String).annotate({ description: "Absent on the last page" }),
  ...foundTotals
}).annotate({ identifier: "DaemonList" })

const Session = Schema.Struct({
  id: Schema.String,
  parentId: maybe(Schema.String),
  providerType: Schema.String,
  providerName: maybe(Schema.String),
  providerSessionId: maybe(Schema.String),
  kind: Schema.String,
  transport: Schema.String,
  status: AgentState,
  rawStatus: Schema.String,
  workspace: Schema.NullOr(Workspace),
  cdpConnected: maybe(flag),
  surfaceHidden: maybe(flag),
  muted: maybe(flag)
}).annotate({ identifier: "Session" })

const Agent = Schema.Struct({
  sessionId: Schema.String,
  targetId: Schema.String.annotate({ description: "Always means exactly this agent" }),
  providerType: Schema.String,
  status: AgentState,
  workspaceName: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Agent" })

const Provider = Schema.Struct({
  type: Schema.String,
  category: Schema.String,
  displayName: maybe(Schema.String),
  installed: maybe(flag)
}).annotate({ identifier: "Provider" })

const Problem = Schema.Struct({
  at: Schema.String.annotate({ description: "Where it stood: the frame's type, then its members" }),
  reason: Schema.String
}).annotate({ identifier: "DaemonProblem", description: "Something the daemon sent that did not fit and was dropped" })

/** All that the hub knows of a daemon. */
const DaemonStatus = Schema.Struct({
  ...Daemon.fields,
  revoked: flag,
  ownerTags: TagValues.annotate({ description: "Of the tags those that the owner gave it" }),
  observedAt: Schema.NullOr(millis).annotate({ description: "When the daemon reported this" }),
  ageMs: Schema.NullOr(Schema.Finite),
  sessions: Schema.Array(Session),
  workspaces: Schema.Array(Workspace),
  agents: Schema.Array(Agent),
  availableProviders: Schema.Array(Provider),
  problems: Schema.Array(Problem).annotate({ description: `For the daemon's author; at most ${problemsShownMax}` })
}).annotate({ identifier: "DaemonStatus" })

const TerminalDone = Schema.Struct({
  success: Schema.Literal(true),
  result: TerminalResult,
  ...commanded
}).annotate({ identifier: "TerminalDone" })

const TerminalAnswer = Schema.Union([TerminalDone, Refusal]).annotate({ identifier: "TerminalAnswer" })
const Disconnected = Schema.Struct({ success: Schema.Literal(true), wasConnected: flag }).annotate({
  identifier: "Disconnected"
})
const RemovedDaemon = Schema.Struct({ success: Schema.Literal(true), id: Schema.String }).annotate({
  identifier: "RemovedDaemon"
})
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

const words = (summary: string, description: string) => OpenApi.annotations({ summary, description })
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
      .annotateMerge(
        words(
          "List daemons",
          `All that are connected now, by hostname; \`include=offline\` adds the others, by id, up to ${listPageMax} a page. With \`limit\` the connected ones come in pages too, by id. A daemon that goes offline between two pages may come a second time; none is left out. With \`q\`, \`status\` or \`sort\` the answer has \`total\` and \`onlineTotal\`, and the connected ones come first, each part in order.`
        )
      )
      .annotateMerge(access({ ...read, tool: "list_daemons" })),
    HttpApiEndpoint.get("status", `${path}/:daemonId/status`, {
      params: DaemonParam,
      success: DaemonStatus,
      error: failures(...scopedFailures, "NotFound", "Overloaded")
    })
      .annotateMerge(
        words("Status of a daemon", "Answered from what the daemon last reported, also while it is offline.")
      )
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
      .annotateMerge(
        words("Send a raw command", "One of seven types, sent at most once; an answer is awaited for up to 60 s.")
      )
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
      .annotateMerge(words("Run a terminal command", "An exit code other than 0 is still a success of this call."))
      .annotateMerge(access({ ...command, scope: "terminal:exec", tool: "run_terminal_command" })),
    HttpApiEndpoint.post("disconnect", `${path}/:daemonId/disconnect`, {
      params: DaemonParam,
      success: Disconnected,
      error: failures(...recentLoginFailures, ...idempotentFailures, "NotFound", "Overloaded")
    })
      .annotateMerge(words("Disconnect a daemon", "It may come back by itself."))
      .annotateMerge(access({ ...change, audits: "daemon.disconnected", notes: "success too" })),
    HttpApiEndpoint.post("revoke", `${path}/:daemonId/revoke`, {
      params: DaemonParam,
      success: Disconnected,
      error: failures(...recentLoginFailures, ...idempotentFailures, "NotFound", "Overloaded")
    })
      .annotateMerge(
        words("Revoke a daemon's token", "For ever. The daemon comes back by a new token for the same daemon id.")
      )
      .annotateMerge(access({ ...manage, audits: "daemon.revoked" })),
    HttpApiEndpoint.delete("remove", `${path}/:daemonId`, {
      params: DaemonParam,
      success: RemovedDaemon,
      error: failures(...recentLoginFailures, "NotFound", "DaemonOnline", "DaemonSocketLost", "Overloaded")
    })
      .annotateMerge(
        words(
          "Remove a daemon",
          "For ever, with its tokens. 409 while it is connected or in its grace: revoke it first."
        )
      )
      .annotateMerge(access({ ...manage, audits: "daemon.removed" })),
    HttpApiEndpoint.put("tag", `${path}/:daemonId/tags`, {
      params: DaemonParam,
      payload: NewTags,
      success: Tagged,
      error: failures(...recentLoginFailures, ...bodyFailures, "NotFound")
    })
      .annotateMerge(
        words(
          "Tag a daemon",
          "Replaces the tags that the owner gave it; what the daemon says of itself stays beneath. In force on every node at once."
        )
      )
      .annotateMerge(access({ ...manage, bodyBytes: 65_536, audits: "daemon.tagged" })),
    HttpApiEndpoint.post("enroll", `${path}/enroll`, {
      payload: Enrollment,
      success: Enrolled.pipe(HttpApiSchema.status(201)),
      error: failures(...recentLoginFailures, ...bodyFailures, ...idempotentFailures, "NotFound", "DaemonLimitReached")
    })
      .annotateMerge(answers({ headers: ["Cache-Control"] }))
      .annotateMerge(
        words(
          "Enrol a daemon",
          "Gives the token that the daemon connects with. Over the plan's daemons: 403 `DAEMON_LIMIT_REACHED`."
        )
      )
      .annotateMerge(access({ ...manage, bodyBytes: 16_384, secrets: ["token"], audits: "daemon.enrolled" }))
  )
