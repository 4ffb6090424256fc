/**
 * The contract of daemons: list, status, raw commands, terminal, disconnect, revoke, enrol. Owns paths and shapes;
 * answers nothing.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { daemonNameCharsMax, listPageMax, problemsShownMax, terminalCommandBytesMax } from "../../src/limits.ts"
import { access } from "./access.ts"
import { optional } from "./optional.ts"
import { AgentState, CommandDone, commanded, DaemonParam, millis, Refusal, Workspace } from "./shapes.ts"

const maybe = Schema.optionalKey
const flag = Schema.Boolean

const place = {
  id: Schema.String,
  type: Schema.String,
  workspaceName: Schema.NullOr(Schema.String).annotate({
    description: "Of an IDE its workspace's name, of a CLI or an ACP agent its working directory; null when unknown"
  })
}
const Ide = Schema.Struct({ ...place, cdpConnected: flag })
const Cli = Schema.Struct({ ...place, name: Schema.String })
const Acp = Schema.Struct(place)

/** A daemon in the list. */
export const Daemon = Schema.Struct({
  id: Schema.String,
  hostname: Schema.String,
  nickname: Schema.String.annotate({ description: "Empty when unset" }),
  platform: Schema.String,
  version: Schema.String,
  online: flag.annotate({ description: "Connected now, or lost less than the grace ago" }),
  cdpConnected: flag.annotate({ description: "Whether any IDE is connected" }),
  connectedAt: Schema.NullOr(millis),
  lastSeenAt: Schema.NullOr(millis),
  ides: Schema.Array(Ide),
  clis: Schema.Array(Cli),
  acps: Schema.Array(Acp)
}).annotate({ identifier: "Daemon" })

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
})

const Problem = Schema.Struct({
  at: Schema.String.annotate({ description: "Where it stood: the frame's type, then its members" }),
  reason: Schema.String
}).annotate({ identifier: "DaemonProblem", description: "Something the daemon sent that did not fit and was dropped" })

/** All that the hub knows of a daemon. */
export const DaemonStatus = Schema.Struct({
  ...Daemon.fields,
  revoked: flag,
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
  result: Schema.Struct({
    exitCode: Schema.NullOr(Schema.Finite),
    stdout: Schema.String,
    stderr: Schema.String,
    durationMs: Schema.NullOr(Schema.Finite),
    truncated: flag.annotate({ description: "Output is cut to 1 MiB, both streams together" })
  }),
  ...commanded
}).annotate({ identifier: "TerminalDone" })

const Gone = Schema.Struct({ success: Schema.Literal(true), wasConnected: flag })

const words = (summary: string, description: string) => OpenApi.annotations({ summary, description })
const path = "/api/v1/daemons"

/** `/api/v1/daemons`. */
export const Daemons = HttpApiGroup.make("daemons").add(
  HttpApiEndpoint.get("list", path, {
    query: {
      include: maybe(Schema.Literal("offline")),
      limit: maybe(Schema.String).annotate({ description: `1 to ${listPageMax}, for pages of that size` }),
      cursor: maybe(Schema.String).annotate({ description: "The `nextCursor` of the page before" })
    },
    success: Schema.Struct({
      daemons: Schema.Array(Daemon),
      nextCursor: maybe(Schema.String).annotate({ description: "Absent on the last page" })
    })
  })
    .annotateMerge(
      words(
        "List daemons",
        `All that are connected now, by hostname; \`include=offline\` adds the others, by id, up to ${listPageMax} a page. With \`limit\` the connected ones come in pages too, by id. A daemon that goes offline between two pages may come a second time; none is left out.`
      )
    )
    .annotateMerge(access({ kind: "any", scope: "ide:read" })),
  HttpApiEndpoint.get("status", `${path}/:daemonId/status`, { params: DaemonParam, success: DaemonStatus })
    .annotateMerge(
      words("Status of a daemon", "Answered from what the daemon last reported, also while it is offline.")
    )
    .annotateMerge(access({ kind: "any", scope: "ide:read" })),
  HttpApiEndpoint.post("command", `${path}/:daemonId/command`, {
    params: DaemonParam,
    payload: Schema.Struct({
      type: Schema.String.annotate({
        description: "send_chat, read_chat, resolve_action, screenshot, launch_ide, launch_cli or stop_cli"
      }),
      payload: optional(
        Schema.Record(Schema.String, Schema.Unknown),
        "`targetSessionId` addresses a session; without it the daemon picks"
      )
    }),
    success: [CommandDone, Refusal]
  })
    .annotateMerge(
      words("Send a raw command", "One of seven types, sent at most once; an answer is awaited for up to 60 s.")
    )
    .annotateMerge(access({ kind: "any", scope: "ide:control" })),
  HttpApiEndpoint.post("terminal", `${path}/:daemonId/terminal`, {
    params: DaemonParam,
    payload: Schema.Struct({
      command: Schema.String.annotate({ description: `Not blank, at most ${terminalCommandBytesMax} bytes` }),
      name: optional(Schema.String, "Empty is absent, of `cwd` too"),
      cwd: optional(Schema.String)
    }),
    success: [TerminalDone, Refusal]
  })
    .annotateMerge(words("Run a terminal command", "An exit code other than 0 is still a success of this call."))
    .annotateMerge(access({ kind: "any", scope: "terminal:exec" })),
  HttpApiEndpoint.post("disconnect", `${path}/:daemonId/disconnect`, { params: DaemonParam, success: Gone })
    .annotateMerge(words("Disconnect a daemon", "It may come back by itself."))
    .annotateMerge(access({ kind: "any", scope: "ide:control", recent: true })),
  HttpApiEndpoint.post("revoke", `${path}/:daemonId/revoke`, { params: DaemonParam, success: Gone })
    .annotateMerge(
      words("Revoke a daemon's token", "For ever. The daemon comes back by a new token for the same daemon id.")
    )
    .annotateMerge(access({ kind: "any", scope: "ide:control", recent: true })),
  HttpApiEndpoint.delete("remove", `${path}/:daemonId`, {
    params: DaemonParam,
    success: Schema.Struct({ success: Schema.Literal(true), id: Schema.String })
  })
    .annotateMerge(
      words("Remove a daemon", "For ever, with its tokens. 409 while it is connected or in its grace: revoke it first.")
    )
    .annotateMerge(access({ kind: "any", scope: "ide:control", recent: true })),
  HttpApiEndpoint.post("enroll", `${path}/enroll`, {
    payload: Schema.Struct({
      name: optional(Schema.String.check(Schema.isMaxLength(daemonNameCharsMax))),
      daemonId: optional(Schema.String, "A daemon of this account that comes back")
    }),
    success: Schema.Struct({
      daemonId: Schema.String,
      token: maybe(Schema.String).annotate({ description: "Shown once" })
    })
      .annotate({ identifier: "Enrolled" })
      .pipe(HttpApiSchema.status(201))
  })
    .annotateMerge(
      words(
        "Enrol a daemon",
        "Gives the token that the daemon connects with. Over the plan's daemons: 403 `DAEMON_LIMIT_REACHED`."
      )
    )
    .annotateMerge(access({ kind: "any", scope: "ide:control", recent: true, bodyBytes: 16_384, secrets: ["token"] }))
)
