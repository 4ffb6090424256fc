/**
 * The frames of the daemon socket, as schemas (prose: docs/daemon-protocol.md). Owns the shapes; reads and writes no
 * bytes (codec.ts does). Unknown members are ignored and enumerations are open, so that newer daemons work with
 * older hubs.
 */
import { Schema } from "effect"
import type { LogName } from "../domain/log/log.ts"
import {
  capabilitiesMax,
  commandsNamedMax,
  controlsPerSessionMax,
  promptIdCharsMax,
  providersPerDaemonMax,
  sessionsPerDaemonMax,
  workspacesPerDaemonMax
} from "../limits.ts"
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
})
export type AvailableProvider = typeof AvailableProvider.Type

/** A prompt that an agent waits on. `promptId` is new for each question. */
export const ActiveModal = Schema.Struct({
  promptId: optional(PromptId),
  message: Text,
  buttons: Schema.Array(Text)
})
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
})
export type SessionReport = typeof SessionReport.Type

const Workspaces = Schema.Array(WorkspaceReport).annotate({ ...atMost(workspacesPerDaemonMax) })
const Providers = Schema.Array(AvailableProvider).annotate({ ...atMost(providersPerDaemonMax) })

/** First frame of a daemon. Its token may have come with the upgrade. */
export const Auth = Schema.Struct({
  token: optional(Text),
  protocol: Schema.Int.annotate({ ...expects("a whole number") }),
  instanceId: Text,
  version: Text,
  hostname: Text,
  platform: Text,
  nickname: optional(Text),
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
  availableProviders: optional(Providers)
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

/** An entry of `iceServers`. */
export interface IceServer {
  readonly urls: ReadonlyArray<string>
  readonly username?: string
  readonly credential?: string
}

/** Every type of a command that may be sent to a daemon. */
export const commandTypes = [
  "send_chat",
  "read_chat",
  "resolve_action",
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

/** What a daemon names in its `auth` when it has it; the hub asks no other daemon for it. */
export const sessionLogCapability = "session_log"

/** What the hub sends to a daemon. */
export type HubFrame =
  | {
      readonly type: "auth_ok"
      readonly data: {
        readonly daemonId: string
        readonly connectionEpoch: number
        readonly plan: string
        readonly iceServers: ReadonlyArray<IceServer>
        readonly turn: boolean
        readonly serverTime: number
        readonly heartbeatMs: number
        readonly reportMs: number
        readonly limits: { readonly frameBytes: number; readonly resultBytes: number; readonly framesPer10s: number }
      }
    }
  | {
      readonly type: "auth_error"
      readonly data: { readonly reason: string; readonly at?: string; readonly supported?: ReadonlyArray<number> }
    }
  | {
      readonly type: "command"
      readonly data: {
        readonly id: string
        readonly type: CommandType
        readonly payload: unknown
        readonly targetSessionId?: string
        readonly deadlineMs: number
        /** The daemon goes on with it without a connection, and keeps its result until `result_ack`. */
        readonly durable?: true
      }
    }
  /** End this command. */
  | { readonly type: "command_cancel"; readonly data: { readonly id: string } }
  /** The results of these durable commands are kept. */
  | { readonly type: "result_ack"; readonly data: { readonly ids: ReadonlyArray<string> } }
  | { readonly type: "event_ack"; readonly data: { readonly ids: ReadonlyArray<string> } }
  | {
      readonly type: "ice_servers"
      readonly data: {
        readonly iceServers: ReadonlyArray<IceServer>
        readonly turn: boolean
        readonly expiresAt: number
      }
    }
  | { readonly type: "reconnect"; readonly data: { readonly afterMs: number } }
  | { readonly type: "log_subscribe"; readonly data: { readonly log: LogName; readonly deltas: boolean } }
  | { readonly type: "log_unsubscribe"; readonly data: { readonly log: LogName } }
  | { readonly type: "unsupported"; readonly data: { readonly type: string } }
