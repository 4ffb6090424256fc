/**
 * The frames of the daemon socket, as schemas (prose: docs/daemon-protocol.md). Owns the shapes; reads and writes no
 * bytes (codec.ts does). Unknown members are ignored and enumerations are open, so that newer daemons work with
 * older hubs.
 */
import { Schema } from "effect"

const optional = Schema.optionalKey
const Text = Schema.String
const Count = Schema.Finite

/** A folder an agent works in. */
export const WorkspaceReport = Schema.Struct({ name: Text, path: optional(Text) })
export type WorkspaceReport = typeof WorkspaceReport.Type

/** A provider the machine has; `installed` absent means installed. */
export const AvailableProvider = Schema.Struct({
  type: Text,
  category: Text,
  displayName: optional(Text),
  installed: optional(Schema.Boolean)
})
export type AvailableProvider = typeof AvailableProvider.Type

/** A prompt that an agent waits on. */
export const ActiveModal = Schema.Struct({ message: Text, buttons: Schema.Array(Text) })
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
  workspace: optional(Schema.Unknown),
  cdpConnected: optional(Schema.Boolean),
  summaryMetadata: optional(Schema.Unknown),
  providerControls: optional(Schema.Unknown),
  controlValues: optional(Schema.Unknown),
  activeModal: optional(ActiveModal),
  surfaceHidden: optional(Schema.Boolean),
  muted: optional(Schema.Boolean)
})
export type SessionReport = typeof SessionReport.Type

/** First frame of a daemon. Its token may have come with the upgrade. */
export const Auth = Schema.Struct({
  token: optional(Text),
  protocol: Schema.Int,
  instanceId: Text,
  version: Text,
  hostname: Text,
  platform: Text,
  nickname: optional(Text),
  workspaces: optional(Schema.Array(WorkspaceReport)),
  availableProviders: optional(Schema.Array(AvailableProvider))
})
export type Auth = typeof Auth.Type

/** Replaces the whole picture. */
export const StatusReport = Schema.Struct({
  timestamp: Count,
  sessions: Schema.Array(SessionReport),
  cdpConnected: optional(Schema.Boolean),
  p2p: optional(Schema.Unknown),
  workspaces: optional(Schema.Array(WorkspaceReport)),
  availableProviders: optional(Schema.Array(AvailableProvider))
})
export type StatusReport = typeof StatusReport.Type

/** Something that happened to an agent. `event` is open: unknown names are counted and dropped. */
export const StatusEvent = Schema.Struct({
  id: optional(Text),
  event: Text,
  timestamp: Count,
  targetSessionId: optional(Text),
  providerType: optional(Text),
  providerSessionId: optional(Text),
  workspaceName: optional(Text),
  duration: optional(Schema.Unknown),
  elapsedSec: optional(Schema.Unknown),
  modalMessage: optional(Schema.Unknown),
  modalButtons: optional(Schema.Unknown),
  surfaceHidden: optional(Schema.Unknown),
  muted: optional(Schema.Unknown)
})
export type StatusEvent = typeof StatusEvent.Type

/** The answer to one command. */
export const CommandResult = Schema.Struct({
  id: Text,
  success: Schema.Boolean,
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
  "chat_debug_bundle"
] as const
export type CommandType = (typeof commandTypes)[number]

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
      }
    }
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
  | { readonly type: "unsupported"; readonly data: { readonly type: string } }
