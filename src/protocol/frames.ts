/**
 * The frames that daemons send, as schemas (prose: docs/daemon-protocol.md; hub-frames.ts has those of the hub). Owns
 * the shapes; reads and writes no bytes (codec.ts does). Unknown members are ignored and enumerations are open, so that
 * newer daemons work with older hubs.
 */
import { Schema } from "effect"
import { isTagValue, tagKeyForm } from "../domain/daemon/tags.ts"
import { logIdCharsMax, logNameCharsMax, logTypeCharsMax } from "../limits/logs.ts"
import {
  capabilitiesMax,
  commandsNamedMax,
  controlsPerSessionMax,
  healthMax,
  promptIdCharsMax,
  providersPerDaemonMax,
  sessionsPerDaemonMax,
  tagsPerDaemonMax,
  tagValueCharsMax,
  workspacesPerDaemonMax
} from "../limits.ts"
import { logTypeForm } from "./log-frames.ts"
import type { Tolerance } from "./tolerant.ts"
import { WorkspaceReport } from "./workspace.ts"

export { WorkspaceReport }

const optional = Schema.optionalKey
const atMost = (most: number): Tolerance => ({ atMost: most })
const expects = (expected: string): Tolerance => ({ expected })
const Text = Schema.String.annotate({ ...expects("a text") })
const Flag = Schema.Boolean.annotate({ ...expects("true or false") })
const Time = Schema.Finite.annotate({ ...expects("a number") })
const Whole = Schema.Int.check(
  Schema.isGreaterThanOrEqualTo(0).annotate({ ...expects("a whole number of at least 0") })
)
const PromptId = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(promptIdCharsMax).annotate({ ...expects(`a text of 1 to ${promptIdCharsMax} characters`) })
)
const Controls = Schema.Unknown.annotate({ ...atMost(controlsPerSessionMax) })

/** A provider the daemon has; `installed` absent means installed. */
export const AvailableProvider = Schema.Struct({
  type: Text,
  category: Text,
  displayName: optional(Text),
  installed: optional(Flag)
}).annotate({ identifier: "AvailableProvider" })
export type AvailableProvider = typeof AvailableProvider.Type

/** A prompt that an agent waits on. `promptId` is new for each question. */
export const ActiveModal = Schema.Struct({
  promptId: optional(PromptId),
  message: Text,
  buttons: Schema.Array(Text),
  /** When it was asked, and when it is rejected where no answer comes. */
  askedAt: optional(Time),
  expiresAt: optional(Time),
  /** What it asks for, as rules of policies name it. */
  subject: optional(Schema.Struct({ action: Text, resource: Text })),
  /** The answers that the agent offers; `kind` as in the Agent Client Protocol. */
  options: optional(Schema.Array(Schema.Struct({ optionId: Text, name: Text, kind: Text })))
}).annotate({ identifier: "ActiveModal" })
export type ActiveModal = typeof ActiveModal.Type

/** One session as its daemon reports it. */
export const SessionReport = Schema.Struct({
  id: Text,
  parentId: optional(Text),
  providerType: Text,
  providerName: optional(Text),
  providerSessionId: optional(Text),
  kind: Text,
  transport: Text,
  status: Text,
  title: optional(Text),
  workspace: optional(WorkspaceReport),
  cdpConnected: optional(Flag),
  summaryMetadata: optional(Schema.Unknown),
  providerControls: optional(Controls),
  controlValues: optional(Controls),
  activeModal: optional(ActiveModal),
  surfaceHidden: optional(Flag),
  muted: optional(Flag)
}).annotate({ identifier: "SessionReport" })
export type SessionReport = typeof SessionReport.Type

const Workspaces = Schema.Array(WorkspaceReport).annotate({ ...atMost(workspacesPerDaemonMax) })
const Providers = Schema.Array(AvailableProvider).annotate({ ...atMost(providersPerDaemonMax) })

const TagValue = Schema.String.check(
  Schema.isMaxLength(tagValueCharsMax),
  Schema.makeFilter((text) => isTagValue(text))
)
const Tags = Schema.Record(Schema.String.check(Schema.isPattern(tagKeyForm)), TagValue).annotate({
  ...atMost(tagsPerDaemonMax)
})

const Share = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0), Schema.isLessThanOrEqualTo(healthMax)).annotate({
  ...expects(`a number from 0 to ${healthMax}`)
})

/** How busy and full the machine is: shares, of which 1 is all. */
export const MachineHealth = Schema.Struct({
  /** The load of the last minute per processor: above 1 work waits. */
  cpu: optional(Share),
  memory: optional(Share),
  /** Of the disk that the daemon works on. */
  disk: optional(Share)
}).annotate({ identifier: "MachineHealth" })
export type MachineHealth = typeof MachineHealth.Type

/** First frame of a daemon. Its token may have come with the upgrade. */
export const Auth = Schema.Struct({
  token: optional(Text),
  protocol: Schema.Int.annotate({ ...expects("a whole number") }),
  instanceId: Text,
  version: Text,
  hostname: Text,
  platform: Text,
  nickname: optional(Text),
  /** By which its owner tells machines apart; the owner's own of the same key win. */
  tags: optional(Tags),
  workspaces: optional(Workspaces),
  availableProviders: optional(Providers),
  /** What of the optional parts of the protocol it knows; unknown words are ignored. */
  capabilities: optional(Schema.Array(Text).annotate({ ...atMost(capabilitiesMax) })),
  /** The durable commands that it still has. */
  commands: optional(Schema.Array(Text).annotate({ ...atMost(commandsNamedMax) }))
})
/** Of an `auth` each member that fits; who needs one asks for it. */
export type Auth = Partial<typeof Auth.Type>

/** Replaces the whole snapshot. */
export const StatusReport = Schema.Struct({
  timestamp: Time,
  sessions: Schema.Array(SessionReport).annotate({ ...atMost(sessionsPerDaemonMax) }),
  cdpConnected: optional(Flag),
  p2p: optional(Schema.Unknown),
  workspaces: optional(Workspaces),
  availableProviders: optional(Providers),
  health: optional(MachineHealth)
})
/** Of a report each member that fits. */
export type StatusReport = Partial<typeof StatusReport.Type>

/** Something that happened to an agent. `event` is open: unknown names are counted and dropped. */
export const StatusEvent = Schema.Struct({
  id: optional(Text),
  event: Text,
  timestamp: Time,
  targetSessionId: optional(Text),
  providerType: optional(Text),
  providerSessionId: optional(Text),
  workspaceName: optional(Text),
  duration: optional(Whole),
  elapsedSec: optional(Whole),
  promptId: optional(PromptId),
  modalMessage: optional(Text),
  modalButtons: optional(Schema.Array(Text)),
  /** Of `approval:resolved`: what decided (`policy`), by which rule, what, and how many times alike. */
  by: optional(Text),
  rule: optional(Text),
  decision: optional(Text),
  count: optional(Whole),
  surfaceHidden: optional(Flag),
  muted: optional(Flag)
})
/** Of an event its name and each member that fits. */
export type StatusEvent = Partial<typeof StatusEvent.Type> & Pick<typeof StatusEvent.Type, "event">

/** The answer to one command. */
export const CommandResult = Schema.Struct({
  id: Text,
  success: Flag,
  result: optional(Schema.Unknown),
  error: optional(Text),
  code: optional(Text)
})
export type CommandResult = typeof CommandResult.Type

/** What came of an `update` that did not come to run. */
export const UpdateResult = Schema.Struct({ sha256: Text, success: Flag, error: optional(Text) })
/** Of it each member that fits. */
export type UpdateResult = Partial<typeof UpdateResult.Type>

/** Which log of a daemon. */
export const LogName = Schema.Struct({
  kind: Schema.Literals(["session", "command"]),
  id: Schema.String.check(Schema.isMaxLength(logNameCharsMax))
}).annotate({ identifier: "LogName" })

const LoggedEvent = Schema.StructWithRest(
  Schema.Struct({
    seq: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
    type: Schema.String.check(Schema.isPattern(logTypeForm), Schema.isMaxLength(logTypeCharsMax)),
    timestamp: Schema.Finite
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
).annotate({ identifier: "LoggedEvent" })

/** What happens in a log. Described here, and read by hand (log-frames.ts). */
const LogEvents = Schema.Struct({
  log: LogName,
  logId: Schema.NullOr(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(logIdCharsMax))),
  lastSeq: optional(Whole),
  events: optional(Schema.Array(LoggedEvent))
})

/** The data of every frame that a daemon sends, by type. */
export const daemonFrames = {
  auth: Auth,
  status_report: StatusReport,
  status_event: StatusEvent,
  command_result: CommandResult,
  log_events: LogEvents,
  update_result: UpdateResult
}

/** Every type of a command that may be sent to a daemon. */
export const commandTypes = [
  "send_chat",
  "read_chat",
  "resolve_action",
  "interrupt",
  "screenshot",
  "launch_ide",
  "launch_cli",
  "stop_cli",
  "stop_ide",
  "terminal_exec",
  "chat_debug_bundle",
  "read_log"
] as const
export type CommandType = (typeof commandTypes)[number]

/** What a daemon names in its `auth` that can update itself; no other is told to. */
export const selfUpdateCapability = "self_update"
/** What a daemon names in its `auth` that decides by policies; no other is told any. */
export const policiesCapability = "policies"
/** What a daemon names in its `auth` when it has it; the hub asks no other daemon for it. */
export const sessionLogCapability = "session_log"
