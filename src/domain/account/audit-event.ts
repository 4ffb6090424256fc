/**
 * What the audit log keeps: who did what to which object, from where, with which outcome. Owns the shape and the closed
 * list of actions; keeps nothing. No event holds a chat, an output, a secret or a name that a person chose.
 */

/** Everything that is audited. */
export const auditActions = [
  "session.started",
  "session.ended",
  "session.others_ended",
  "member.joined",
  "member.changed",
  "member.removed",
  "invitation.created",
  "invitation.removed",
  "service_account.created",
  "service_account.changed",
  "service_account.removed",
  "key.created",
  "key.revoked",
  "device.approved",
  "device.denied",
  "app.approved",
  "app.denied",
  "app.connected",
  "app.disconnected",
  "oauth_client.added",
  "oauth_client.removed",
  "daemon.enrolled",
  "daemon.token_created",
  "daemon.revoked",
  "daemon.removed",
  "daemon.disconnected",
  "daemon.tagged",
  "daemon_version.set",
  "daemon_version.removed",
  "policy.set",
  "policy.removed",
  "push_subscription.added",
  "push_subscription.removed",
  "join_key.created",
  "join_key.removed",
  "webhook.created",
  "webhook.changed",
  "webhook.removed",
  "webhook.secret_rotated",
  "webhook.tested",
  "webhook.resent",
  "webhook.recovered",
  "package.published",
  "package.promoted",
  "package.yanked",
  "package.restored",
  "account.created",
  "account.disabled",
  "account.enabled",
  "account.password_set",
  "account.plan_set",
  "account.removed",
  "turn.disabled",
  "turn.enabled",
  "secret.rotated",
  "backup.made",
  "command.sent",
  "approval.decided",
  "job.started",
  "job.cancelled"
] as const

export type AuditAction = (typeof auditActions)[number]

/**
 * The kinds of who may act. `grant`: a connected app. `anonymous`: a caller without a valid credential.
 * `administrator`: the session of another account, which the log of the account that it acts upon does not name.
 * `policy`: a rule that the owner set.
 */
export const auditActorKinds = [
  "key",
  "session",
  "grant",
  "command_line",
  "administrator",
  "anonymous",
  "policy"
] as const

export interface AuditActor {
  readonly kind: (typeof auditActorKinds)[number]
  /** The id of the key, the session or the grant. */
  readonly id?: string | undefined
  /** The id of the person or the service account behind the credential. */
  readonly owner?: string | undefined
}

/** How it ended. `refused`: by the rules of the hub; `failed`: for another reason, or its caller left. */
export const auditOutcomes = ["done", "refused", "failed"] as const

export type AuditOutcome = (typeof auditOutcomes)[number]

export interface AuditEvent {
  readonly id: string
  /** Undefined: it concerns no account that is known. */
  readonly accountId: string | undefined
  /** Epoch milliseconds; of several, when the first happened. */
  readonly at: number
  readonly actor: AuditActor
  readonly action: AuditAction
  /** The id of what was acted upon. */
  readonly object: string | undefined
  /** Which of several of its kind, in words of the hub: the type of a command, the scopes of a key. */
  readonly detail: string | undefined
  readonly outcome: AuditOutcome
  /** Why it was refused or failed. */
  readonly reason: string | undefined
  /** The client's address; the /64 of an IPv6 one. */
  readonly address: string | undefined
  readonly node: string | undefined
  /** Of several, that of the first. */
  readonly requestId: string | undefined
  /** How many such there were within a minute. */
  readonly count: number
}

/** Where an event comes from: the part that all events of one call share. */
export interface AuditOrigin {
  readonly actor: AuditActor
  /** The account of the actor; what is done concerns it unless the change says otherwise. */
  readonly accountId: string | undefined
  readonly address: string | undefined
  readonly node: string | undefined
  readonly requestId: string | undefined
}

/** What every event takes from its origin. */
export const originMembers = ({ actor, accountId, address, node, requestId }: AuditOrigin) => ({
  actor,
  accountId,
  address,
  node,
  requestId
})
