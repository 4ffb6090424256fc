/**
 * The frames that the hub sends to daemons, as schemas (prose: docs/daemon-protocol.md). Owns the shapes and the type
 * that is made of them; encodes nothing (codec.ts does).
 */
import { Schema } from "effect"
import { commandTypes, LogName } from "./frames.ts"

const optional = Schema.optionalKey

/** An entry of `iceServers`. */
export const IceServer = Schema.Struct({
  urls: Schema.Array(Schema.String),
  username: optional(Schema.String),
  credential: optional(Schema.String)
}).annotate({ identifier: "IceServer" })
export type IceServer = typeof IceServer.Type

/** A rule, with the name by which the daemon tells that it decided by it. */
const PolicyRule = Schema.Struct({
  rule: Schema.String,
  action: Schema.String,
  resource: Schema.String,
  effect: Schema.Literals(["allow", "ask", "deny"]),
  provider: optional(Schema.String),
  cwd: optional(Schema.String)
}).annotate({ identifier: "NamedPolicyRule" })

const ice = { iceServers: Schema.Array(IceServer), turn: Schema.Boolean }
const Ids = Schema.Struct({ ids: Schema.Array(Schema.String) })

/** The data of every frame that the hub sends, by type. */
export const hubFrames = {
  auth_ok: Schema.Struct({
    daemonId: Schema.String,
    connectionEpoch: Schema.Int,
    plan: Schema.String,
    ...ice,
    serverTime: Schema.Int,
    heartbeatMs: Schema.Int,
    reportMs: Schema.Int,
    limits: Schema.Struct({ frameBytes: Schema.Int, resultBytes: Schema.Int, framesPer10s: Schema.Int })
  }),
  auth_error: Schema.Struct({
    reason: Schema.String,
    at: optional(Schema.String),
    supported: optional(Schema.Array(Schema.Int))
  }),
  command: Schema.Struct({
    id: Schema.String,
    type: Schema.Literals(commandTypes),
    /** As the table of commands has it. */
    payload: optional(Schema.Unknown),
    targetSessionId: optional(Schema.String),
    /** How long it may take. */
    deadlineMs: Schema.Int,
    /** How long the hub waits for its answer, where that is longer. */
    waitMs: optional(Schema.Int),
    /** The daemon goes on with it without a connection, and keeps its result until `result_ack`. */
    durable: optional(Schema.Literal(true)),
    /** The W3C trace context of the call behind it, where that is traced. */
    traceparent: optional(Schema.String)
  }),
  /** End this command. */
  command_cancel: Schema.Struct({ id: Schema.String }),
  /** The results of these durable commands are kept. */
  result_ack: Ids,
  /** These events are committed. */
  event_ack: Ids,
  ice_servers: Schema.Struct({ ...ice, expiresAt: Schema.Int }),
  reconnect: Schema.Struct({ afterMs: Schema.Int }),
  /** Update to this release; `url` is a path of the hub, or an address of the same origin. */
  update: Schema.Struct({
    version: Schema.String,
    url: Schema.String,
    sha256: Schema.String,
    /** How long it may take until the daemon is back. */
    deadlineMs: Schema.Int
  }),
  /** By these rules it decides what its agents ask, until it is sent others. */
  policy: Schema.Struct({
    /** The same for the same content. */
    version: Schema.String,
    rules: Schema.Array(PolicyRule),
    /** What holds where no rule matches. */
    default: Schema.Literals(["ask", "deny"]),
    /** How long a question waits for an answer. Absent: without an end. */
    timeoutSeconds: optional(Schema.Int),
    onTimeout: Schema.Literals(["reject", "leave"])
  }),
  log_subscribe: Schema.Struct({ log: LogName, deltas: Schema.Boolean }),
  log_unsubscribe: Schema.Struct({ log: LogName }),
  /** The hub knows no frame of that type. */
  unsupported: Schema.Struct({ type: Schema.String })
}
type HubFrames = typeof hubFrames

/** What the hub sends to a daemon. */
export type HubFrame = {
  [Type in keyof HubFrames]: { readonly type: Type; readonly data: HubFrames[Type]["Type"] }
}[keyof HubFrames]
