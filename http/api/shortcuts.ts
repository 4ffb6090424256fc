/**
 * The contract of shortcuts: start, stop, chat, debug, approve, status of an agent. Owns paths and shapes; answers
 * nothing.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { promptActions } from "../../src/domain/command/prompt.ts"
import { frontendSnapshotBytesMax, promptIdCharsMax } from "../../src/limits.ts"
import { access } from "./access.ts"
import { preferHeader, StartedCommand, startedAnswers, timeoutSeconds } from "./commands.ts"
import { bodyFailures, commandFailures, failures, idempotentFailures, scopedFailures } from "./failures.ts"
import { optional, optionalWord } from "./optional.ts"
import {
  AgentState,
  agentType,
  agentTypeInQuery,
  CommandAnswer,
  commanded,
  DaemonParam,
  millis,
  Path,
  Refusal,
  TargetParam,
  Word,
  Words,
  Workspace
} from "./shapes.ts"
import { ChatSent, statusQuery, turnQuery, version } from "./waiting.ts"

const maybe = Schema.optionalKey
const members = Schema.Record(Schema.String, Schema.Unknown)

const Part = Schema.Struct({
  type: Schema.String.annotate({ description: "`text`, the only kind taken" }),
  text: optional(Schema.String)
}).annotate({ identifier: "ChatPart" })

/** Chat input: the legacy text or the canonical envelope. */
export const ChatInput = Schema.Struct({
  message: optional(Schema.String, "Legacy text form"),
  input: optional(
    Schema.Struct({ parts: optional(Schema.Array(Part)), textFallback: optional(Schema.String) }),
    "Canonical envelope; wins over `message`. At most 256 KiB of text"
  ),
  ...agentType
}).annotate({ identifier: "ChatInput" })

/** What is known of a question beside its text. */
export const asked = {
  subject: maybe(Schema.Struct({ action: Schema.String, resource: Schema.String })).annotate({
    description: "What it asks for, as rules of policies name it"
  }),
  options: maybe(
    Schema.Array(Schema.Struct({ optionId: Schema.String, name: Schema.String, kind: Schema.String }))
  ).annotate({ description: "The answers that the agent offers" })
}

const Modal = Schema.Struct({
  promptId: maybe(Schema.String).annotate({
    description: "Names this prompt, where its daemon gives it a name; an approval that carries it resolves no other"
  }),
  message: Schema.String,
  buttons: Schema.Array(Schema.String),
  askedAt: maybe(Schema.Finite),
  expiresAt: maybe(Schema.Finite).annotate({ description: "When it is rejected, where no answer comes" }),
  ...asked
}).annotate({ identifier: "Modal" })

const Chat = Schema.StructWithRest(
  Schema.Struct({
    success: Schema.Literal(true),
    messages: maybe(Schema.Array(Schema.Unknown)),
    status: maybe(Schema.String),
    title: maybe(Schema.String),
    activeModal: maybe(members),
    ...commanded
  }),
  [members]
).annotate({ identifier: "Chat", description: "The daemon's chat as it is; what it leaves out is not invented" })

const Bundle = Schema.Struct({
  success: Schema.Literal(true),
  bundle: members,
  text: Schema.String.annotate({ description: "Copy-ready" }),
  truncated: maybe(Schema.Literal(true)),
  ...commanded
}).annotate({ identifier: "DebugBundle", description: "At most 1 MiB, without secrets" })

const ChatAnswer = Schema.Union([Chat, Refusal]).annotate({ identifier: "ChatAnswer" })
const BundleAnswer = Schema.Union([Bundle, Refusal]).annotate({ identifier: "DebugBundleAnswer" })

const Launch = Schema.Struct({
  type: Word,
  dir: optionalWord(Path),
  model: optionalWord(Word),
  ...timeoutSeconds
}).annotate({ identifier: "Launch" })
const Stop = Schema.Struct({ type: Word }).annotate({ identifier: "Stop" })
const PromptId = Schema.String.check(Schema.isPattern(/\S/u), Schema.isMaxLength(promptIdCharsMax))
const Approval = Schema.Struct({
  action: Schema.Literals(promptActions).annotate({
    description: "`always` is passed on: an agent that offers no such choice refuses it"
  }),
  promptId: optional(PromptId, "The prompt that was seen; another that waits by now is not resolved (409)"),
  ...agentType
}).annotate({ identifier: "Approval" })
const Interrupt = Schema.Struct(agentType).annotate({ identifier: "Interrupt" })
const DebugRequest = Schema.Struct({
  ...agentType,
  frontendSnapshot: optional(members, `At most ${frontendSnapshotBytesMax} bytes of JSON`)
}).annotate({ identifier: "DebugRequest" })

/** What the hub knows of one agent. */
const AgentStatus = Schema.Struct({
  targetId: Schema.String,
  daemonId: Schema.String,
  sessionId: Schema.String,
  agentType: Schema.String,
  providerType: Schema.String,
  providerSessionId: maybe(Schema.String),
  status: AgentState,
  rawStatus: Schema.String,
  workspace: Schema.NullOr(Workspace),
  workspaceName: Schema.NullOr(Schema.String),
  summaryMetadata: maybe(Schema.Unknown),
  providerControls: maybe(Schema.Unknown),
  controlValues: maybe(Schema.Unknown),
  activeModal: maybe(Modal),
  version,
  online: Schema.Boolean,
  observedAt: Schema.NullOr(millis),
  ageMs: Schema.NullOr(Schema.Finite)
}).annotate({ identifier: "AgentStatus" })

// what an agent says is kept nowhere, under an Idempotency-Key neither
const chatMembers = ["messages", "activeModal"]
const inOneCall =
  "With `wait` the answer comes when the agent's turn is over, with what it said; without it once the daemon has taken the message."
const longPoll = "With `waitFor` the answer comes once the status is another than the one of `since`."

const path = "/api/v1/shortcuts"
const control = { kind: "any", scope: "ide:control", onHangUp: "cancel" } as const
const read = { kind: "any", scope: "agent:read", onHangUp: "cancel" } as const
const write = { kind: "any", scope: "agent:control", onHangUp: "cancel" } as const
const sending = failures(...scopedFailures, ...bodyFailures, ...idempotentFailures, ...commandFailures)
const targeting = failures(
  ...scopedFailures,
  ...bodyFailures,
  ...idempotentFailures,
  ...commandFailures,
  "AmbiguousTarget"
)
const approving = failures(
  ...scopedFailures,
  ...bodyFailures,
  ...idempotentFailures,
  ...commandFailures,
  "AmbiguousTarget",
  "PromptChanged"
)
const reading = failures(...scopedFailures, ...commandFailures, "ValidationFailed")
const mostUrgent = "Of several sessions the most urgent is read: waiting_approval, error, generating, idle."
const bound = "With `promptId` only that prompt is resolved: 409 PROMPT_CHANGED when another waits by now."
const oneOnly = "Where several sessions match, nothing is sent: 400 AMBIGUOUS_TARGET names the candidates."

/** `/api/v1/shortcuts`. */
export const Shortcuts = HttpApiGroup.make("shortcuts")
  .annotateMerge(OpenApi.annotations({ description: "What is done with agents: launch, stop, chat, approve, status." }))
  .add(
    HttpApiEndpoint.post("launch", `${path}/:daemonId/launch`, {
      params: DaemonParam,
      ...preferHeader,
      payload: Launch,
      success: [CommandAnswer, StartedCommand],
      error: failures(
        ...scopedFailures,
        ...bodyFailures,
        ...idempotentFailures,
        ...commandFailures,
        "CommandLimitReached"
      )
    })
      .annotateMerge(startedAnswers)
      .annotate(Words, ["Launch an IDE, a CLI or an ACP agent", "`type` names what the daemon has, or a provider."])
      .annotateMerge(access({ ...control, audits: "command.sent", tool: "launch_agent" })),
    HttpApiEndpoint.post("stop", `${path}/:daemonId/stop`, {
      params: DaemonParam,
      payload: Stop,
      success: CommandAnswer,
      error: sending
    })
      .annotate(Words, ["Stop an IDE, a CLI or an ACP agent", "`type` as in launch."])
      .annotateMerge(access({ ...control, audits: "command.sent", tool: "stop_agent" })),
    HttpApiEndpoint.post("send", `${path}/:ideId/chat`, {
      params: TargetParam,
      query: turnQuery,
      payload: ChatInput,
      success: ChatSent,
      error: targeting
    })
      .annotate(Words, ["Send a chat message", `Either \`message\` or \`input\`. ${inOneCall} ${oneOnly}`])
      .annotateMerge(
        access({ ...write, needsBody: true, secrets: chatMembers, audits: "command.sent", tool: "send_chat_message" })
      ),
    HttpApiEndpoint.get("read", `${path}/:ideId/chat`, {
      params: TargetParam,
      query: agentTypeInQuery,
      success: ChatAnswer,
      error: reading
    })
      .annotate(Words, ["Read the chat", `Asked of the daemon. ${mostUrgent}`])
      .annotateMerge(access({ ...read, tool: "read_chat" })),
    HttpApiEndpoint.get("debug", `${path}/:ideId/chat/debug`, {
      params: TargetParam,
      query: agentTypeInQuery,
      success: BundleAnswer,
      error: reading
    })
      .annotate(Words, ["Chat debug bundle", "Bounded and without secrets, whatever the daemon sends."])
      .annotateMerge(access({ ...read, audits: "command.sent", tool: "get_debug_bundle" })),
    HttpApiEndpoint.post("debugWith", `${path}/:ideId/chat/debug`, {
      params: TargetParam,
      payload: DebugRequest,
      success: BundleAnswer,
      error: sending
    })
      .annotate(Words, ["Chat debug bundle with a snapshot", "The snapshot supplements what the daemon knows."])
      // its snapshot is a dashboard's
      .annotateMerge(access({ ...read, audits: "command.sent", tool: false })),
    HttpApiEndpoint.post("approve", `${path}/:ideId/approve`, {
      params: TargetParam,
      payload: Approval,
      success: CommandAnswer,
      error: approving
    })
      .annotate(Words, ["Approve or reject a pending action", `${bound} ${oneOnly}`])
      .annotateMerge(access({ ...write, audits: "command.sent", tool: "approve" })),
    HttpApiEndpoint.post("interrupt", `${path}/:ideId/interrupt`, {
      params: TargetParam,
      payload: Interrupt,
      success: CommandAnswer,
      error: targeting
    })
      .annotate(Words, [
        "Interrupt an agent",
        `Its turn is given up, and its questions with it. The reference daemon starts an agent anew that goes on for 10 s. ${oneOnly}`
      ])
      .annotateMerge(access({ ...write, audits: "command.sent", tool: "interrupt_agent" })),
    HttpApiEndpoint.get("status", `${path}/:ideId/status`, {
      params: TargetParam,
      query: statusQuery,
      success: AgentStatus,
      error: failures(...scopedFailures, "ValidationFailed", "NotFound", "Overloaded")
    })
      .annotate(Words, ["Status of an agent", `Answered from what the daemon last reported. ${longPoll} ${mostUrgent}`])
      .annotateMerge(access({ ...read, tool: "get_agent_status" }))
  )
