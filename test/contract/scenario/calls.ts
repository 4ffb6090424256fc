/**
 * Every operation of the OpenAPI document as a caller sees it: what it is given, and the members of its answer that the
 * story reads. Each typed program implements it with its generated client, so a generated type that does not fit is an
 * error of the compiler. Owns no behaviour; imports nothing of the project, because the programs run outside it.
 */

import type { Answered, Call, Problem } from "./call.ts"
import type { JobCalls } from "./job-calls.ts"

export type { Answered, Call, JobCalls, Problem }

type Nothing = Record<never, never>
type Page = { limit?: number; cursor?: string }
type RequestText = { [K in "status" | "reason" | "key" | "operation" | "pathContains"]?: string }
type RequestFilter = RequestText & { method?: "GET" | "POST"; since?: number }
type JoinKeyLife = { expiresAt?: number | null; removeAfterMinutes?: number }
type NewJoinKey = { name: string; tags?: Tags; maxUses?: number } & JoinKeyLife
type JoiningDaemon = { machineId?: string; name?: string; hostname?: string }
type Session = { path: { daemonId: string; sessionId: string } }
type Log = { after?: string; deltas?: "true" | "false" }
type LogPage = { events: ReadonlyArray<Members>; next: string; more: boolean; gap: boolean; lastSeq: number }
type Channel = { channel?: string }
type Keyed = { "idempotency-key"?: string }
type Preferring = { prefer?: string }
type Known = { "if-none-match"?: string }
type Daemon = { path: { daemonId: string } }
type Target = { path: { ideId: string } }
type Webhook = { path: { webhookId: string } }
type Package = { path: { type: string; version: string } }
type Members = { [name: string]: unknown }
type Tags = { [key: string]: string }
type Callback = { state: string; code?: string; iss?: string; session_state?: string }
type CallbackError = { error?: string; error_description?: string }
type KeyScope = "ide:read" | "ide:control" | "agent:read"
type EventFilter = { event?: Array<string>; daemonId?: Array<string>; selector?: string }
type Agent = { agentType?: string }

type Ready = { status: "ready" | "not ready"; waitingFor: ReadonlyArray<string> }
type SignedIn = { token: string; expiresAt: number; account: { id: string; email: string; admin: boolean } }
type Listed = { id: string; hostname: string; online: boolean; connectedAt: number | null }
type AdminDaemon = { id: string; version: string; online: boolean; account: { email: string } }
type Sought = { account?: string; version?: string; online?: "true" | "false"; seenSince?: number; seenBefore?: number }
type Ended = { closeReason?: "closed" | "timeout" | "disconnected" | "revoked" | "disabled"; closeCode?: number }
type Refusal = { success: false; error: string; daemonCode?: string; commandId: string }
type CommandDone = { success: true; result?: unknown; commandId: string; durationMs: number }
type Command = CommandDone | Refusal
type CommandState = "pending" | "succeeded" | "failed" | "cancelled" | "timed_out" | "lost"
type Kept = { commandId: string; daemonId: string; state: CommandState; finishedAt: number | null }
type Chat = { success: true; messages?: ReadonlyArray<unknown>; status?: string; activeModal?: Members | null }
type Approval = Agent & { action: "approve" | "reject" | "always"; promptId?: string }
type StatusWait = { waitFor?: "change"; since?: string; timeoutSeconds?: number }
type Turn = CommandDone & { timedOut?: boolean; status?: string; messages?: ReadonlyArray<unknown>; version?: string }
type AgentStatus = {
  targetId: string
  status: string
  online: boolean
  version: string
  activeModal?: { promptId?: string }
}
type Bundle = { success: true; bundle: Members; text: string }
type Hook = { id: string; url: string; events: ReadonlyArray<string>; active: boolean; selector: string | null }
type Delivery = { id: string; deliveryId: string; event: string; attempt: number; statusCode: number | null }
type Provider = { type: string; version: string; channel: "stable" | "preview"; digest: string; size: number }

type Audited = { action: string; object: string | null }
type AuditFilter = { [K in "action" | "actor" | "object"]?: string } & {
  outcome?: "done"
  since?: number
  until?: number
}
/** `/healthz`, `/readyz`, `/metrics`, `/api/v1/auth/…`, `…/me`, `…/usage`, `…/api-keys`, `…/requests`, `…/audit`. */
export interface AccountCalls {
  "system.health": Call<Nothing, { status: "alive" }>
  "system.ready": Call<Nothing, Ready, Ready | Problem>
  "system.metrics": Call<Nothing, string>
  "auth.login": Call<{ body: { email: string; password: string } }, SignedIn>
  "auth.begin": Call<{ query?: { challenge?: string } }, unknown>
  "auth.callback": Call<{ query: Callback & CallbackError; cookie: string }, unknown>
  "auth.exchange": Call<{ body: { code: string; verifier?: string } }, SignedIn>
  "auth.refresh": Call<Nothing, SignedIn>
  "auth.logout": Call<Nothing, { success: true }>
  "auth.logoutOthers": Call<Nothing, { success: true; ended: number }>
  "deviceCodes.begin": Call<
    { body: { name: string; scopes: Array<"ide:read" | "agent:read"> } },
    { deviceCode: string; userCode: string; interval: number }
  >
  "deviceCodes.token": Call<
    { body: { deviceCode: string } },
    { id: string; key: string; scopes: ReadonlyArray<string> }
  >
  "deviceCodes.show": Call<{ body: { userCode: string } }, { name: string; scopes: ReadonlyArray<string> }>
  "deviceCodes.approve": Call<{ body: { userCode: string; scopes?: Array<"ide:read"> } }, { success: true }>
  "deviceCodes.deny": Call<{ body: { userCode: string } }, { success: true }>
  "account.me": Call<Nothing, { account: { id: string }; scopes: ReadonlyArray<string> }>
  "account.usage": Call<Nothing, { used: number; limit: number | null }>
  "keys.list": Call<{ query?: Page }, { apiKeys: ReadonlyArray<{ id: string; prefix: string }>; nextCursor?: string }>
  "keys.create": Call<
    {
      header?: Keyed
      body: { name: string; scopes: Array<KeyScope>; expiresAt?: number | null; selector?: string }
    },
    { id: string; key?: string }
  >
  "requests.list": Call<
    { query?: Page & RequestFilter },
    {
      requests: ReadonlyArray<{ id: string; status: number | null; path: string }>
      omitted: number
      nextCursor?: string
    }
  >
  "audit.list": Call<{ query?: Page & AuditFilter }, { events: ReadonlyArray<Audited>; nextCursor?: string }>
  "keys.revoke": Call<{ path: { keyId: string } }, { success: true; id: string }>
}

/** `/api/v1/daemons/…`, `/api/v1/join-keys`. */
export interface DaemonCalls {
  "daemons.list": Call<
    { query?: Page & { include?: "offline"; selector?: string } },
    { daemons: ReadonlyArray<Listed>; nextCursor?: string }
  >
  "daemons.status": Call<Daemon, Listed & { agents: ReadonlyArray<{ targetId: string; status: string }> }>
  "daemons.command": Call<
    Daemon & {
      header?: Keyed & Preferring
      body: {
        type: "launch_cli" | "read_chat" | "screenshot" | "send_chat" | "stop_cli"
        payload?: Members
        timeoutSeconds?: number
      }
    },
    Command | Kept
  >
  "daemons.terminal": Call<
    Daemon & {
      header?: Keyed & Preferring
      body: { command: string; name?: string; cwd?: string; timeoutSeconds?: number }
    },
    { success: true; result: { exitCode: number | null; stdout: string } } | Refusal | Kept
  >
  "daemons.disconnect": Call<Daemon & { header?: Keyed }, { success: true; wasConnected: boolean }>
  "daemons.revoke": Call<Daemon & { header?: Keyed }, { success: true; wasConnected: boolean }>
  "daemons.remove": Call<Daemon, { success: true; id: string }>
  "daemons.enroll": Call<
    { header?: Keyed; body: { name?: string; daemonId?: string } },
    { daemonId: string; token?: string }
  >
  "daemons.tag": Call<Daemon & { body: { tags: Tags } }, { success: true; tags: Tags; ownerTags: Tags }>
  "joinKeys.list": Call<Nothing, { joinKeys: ReadonlyArray<{ id: string; uses: number }> }>
  "joinKeys.create": Call<{ body: NewJoinKey }, { id: string; key: string }>
  "joinKeys.remove": Call<{ path: { joinKeyId: string } }, { success: true; id: string }>
  "joinKeys.join": Call<{ body: JoiningDaemon }, { daemonId: string; token: string }>
}

/** `/api/v1/shortcuts/…`. */
export interface ShortcutCalls {
  "shortcuts.launch": Call<
    Daemon & {
      header?: Keyed & Preferring
      body: { type: string; dir?: string; model?: string; timeoutSeconds?: number }
    },
    Command | Kept
  >
  "shortcuts.stop": Call<Daemon & { header?: Keyed; body: { type: string } }, Command>
  "shortcuts.send": Call<
    Target & {
      query?: { wait?: "idle" | "approval"; timeoutSeconds?: number }
      header?: Keyed
      body: Agent & {
        message?: string
        input?: { parts?: Array<{ type: "text"; text?: string }>; textFallback?: string }
      }
    },
    Turn | Refusal
  >
  "shortcuts.read": Call<Target & { query?: Agent }, Chat | Refusal>
  "shortcuts.debug": Call<Target & { query?: Agent }, Bundle | Refusal>
  "shortcuts.debugWith": Call<
    Target & { header?: Keyed; body: Agent & { frontendSnapshot?: Members } },
    Bundle | Refusal
  >
  "shortcuts.approve": Call<Target & { header?: Keyed; body: Approval }, Command>
  "shortcuts.status": Call<Target & { query?: Agent & StatusWait }, AgentStatus>
}

/** `/api/v1/commands/…`. */
export interface KeptCalls {
  "commands.list": Call<
    { query?: Page & { daemonId?: string; state?: CommandState } },
    { commands: ReadonlyArray<Kept>; nextCursor?: string }
  >
  "commands.get": Call<{ path: { commandId: string } }, Kept & { result?: unknown }>
  "commands.cancel": Call<{ path: { commandId: string }; header?: Keyed }, Kept>
  "commands.output": Call<{ path: { commandId: string }; query?: { after?: string; limit?: number } }, LogPage>
  /** Reads the first event, then leaves. */
  "commands.outputStream": Call<
    { path: { commandId: string }; query?: { after?: string }; header?: { "last-event-id"?: string } },
    { id?: string | undefined; data: unknown }
  >
}

/** `/api/v1/webhooks/…`, `/api/v1/events`, `/api/v1/turn/credentials`. */
export interface EventCalls {
  "webhooks.list": Call<Nothing, { webhooks: ReadonlyArray<Hook> }>
  "webhooks.create": Call<
    { header?: Keyed; body: { url: string; events: Array<string>; selector?: string } },
    Hook & { secret?: string }
  >
  "webhooks.update": Call<
    Webhook & { body: { active?: boolean; url?: string; events?: Array<string>; selector?: string | null } },
    Hook & { warnings?: ReadonlyArray<string> }
  >
  "webhooks.remove": Call<Webhook, { success: true; id: string }>
  "webhooks.deliveries": Call<Webhook & { query?: Page }, { deliveries: ReadonlyArray<Delivery>; nextCursor?: string }>
  "webhooks.test": Call<Webhook & { header?: Keyed }, { success: boolean; delivery: Delivery }>
  "webhooks.rotateSecret": Call<Webhook & { header?: Keyed }, Hook & { secret?: string; previousSecretUntil: number }>
  "webhooks.retry": Call<
    { path: { webhookId: string; deliveryId: string }; header?: Keyed },
    { success: true; deliveryId: string; status: "pending" }
  >
  "webhooks.recover": Call<Webhook & { header?: Keyed; body: { since: number } }, { success: true; recovered: number }>
  "sessions.events": Call<Session & { query?: Log & { limit?: number } }, LogPage>
  /** Reads the first event, then leaves. */
  "sessions.stream": Call<
    Session & { query?: Log; header?: { "last-event-id"?: string } },
    { id?: string | undefined; data: unknown }
  >
  /** Likewise. */
  "events.stream": Call<
    { query?: EventFilter; header?: { "last-event-id"?: string } },
    { id?: string | undefined; data: unknown }
  >
  "events.listenSecret": Call<Nothing, { secret: string }>
  "turn.credentials": Call<
    Nothing,
    { iceServers: ReadonlyArray<{ urls: ReadonlyArray<string> }>; turn: boolean; cached: boolean }
  >
}

/** `/api/v1/registry/…`. */
export interface RegistryCalls {
  "registry.list": Call<
    { query?: Page & Channel; header?: Known },
    { channel: string; providers: ReadonlyArray<Provider>; nextCursor?: string }
  >
  "registry.type": Call<
    { path: { type: string }; query?: Channel; header?: Known },
    { latest: string | null; versions: ReadonlyArray<Provider> }
  >
  "registry.version": Call<Package & { query?: Channel; header?: Known }, Provider>
  "registry.download": Call<
    Package & { query?: Channel; header?: Known & { range?: string; "if-range"?: string } },
    Blob
  >
  "registry.downloadHead": Call<
    Package & { query?: Channel; header?: Known & { range?: string; "if-range"?: string } },
    unknown
  >
  "registry.publish": Call<
    {
      header?: Keyed
      body: {
        type: string
        version: string
        channel: "preview"
        category?: string
        name?: string
        displayName?: string
        description?: string
        manifest?: Members
        artifact?: string
      }
    },
    Provider & { status: "published" | "already_published" }
  >
  "registry.promote": Call<Package & { header?: Keyed }, Provider & { status: "promoted" | "already_promoted" }>
  "registry.yank": Call<Package & { query?: Channel }, Provider & { success: true; yanked: boolean }>
}

/** `/api/v1/admin/…`. */
export interface AdminCalls {
  "adminDaemons.list": Call<{ query?: Page & Sought & Ended }, { daemons: Array<AdminDaemon>; nextCursor?: string }>
  "adminDaemons.show": Call<Daemon, AdminDaemon>
  "adminDaemons.disconnect": Call<Daemon & { header?: Keyed }, { success: true; wasConnected: boolean }>
}

/** Every operation. */
export type Calls = AccountCalls &
  DaemonCalls &
  ShortcutCalls &
  KeptCalls &
  JobCalls &
  EventCalls &
  RegistryCalls &
  AdminCalls
