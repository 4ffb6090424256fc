/**
 * Every layer of a hub, composed from the store upwards. Owns the order (what is provided later is closed first) and
 * nothing else; node.ts starts and drains it.
 */

import { join } from "node:path"
import { Effect, Layer } from "effect"
import { ResolvedApprovals } from "../../actors/approvals/resolved-approvals.ts"
import { AuditLog } from "../../actors/audit-log/audit-log.ts"
import { AuditSink } from "../../actors/audit-log/audit-sink.ts"
import { clusterLayer } from "../../actors/cluster/live-cluster.ts"
import { CommandRecords } from "../../actors/command-records/command-records.ts"
import { DaemonFinding } from "../../actors/commands/daemon-finding.ts"
import { Directory } from "../../actors/commands/directory.ts"
import { FleetTagging } from "../../actors/commands/fleet-tagging.ts"
import { StoredCommands } from "../../actors/commands/stored-commands.ts"
import { Connections } from "../../actors/connections/connections.ts"
import { DaemonDrain } from "../../actors/connections/daemon-drain.ts"
import { TokenCache } from "../../actors/connections/token-cache.ts"
import { OfferedReleases } from "../../actors/daemon-versions/offered-releases.ts"
import { Rollouts } from "../../actors/daemon-versions/rollouts.ts"
import { DaemonEvents } from "../../actors/events/daemon-events.ts"
import { DaemonTags } from "../../actors/events/daemon-tags.ts"
import { Dispatcher } from "../../actors/events/dispatcher.ts"
import { LiveStreams } from "../../actors/events/live-streams.ts"
import { AccountJobs } from "../../actors/jobs/account-jobs.ts"
import { JobLeaders } from "../../actors/jobs/job-leaders.ts"
import { LoginLimits } from "../../actors/limits/login-limits.ts"
import { Quota } from "../../actors/limits/quota.ts"
import { RateLimits } from "../../actors/limits/rate-limits.ts"
import { VolumeBudgets } from "../../actors/limits/volume-budgets.ts"
import { SessionLogs } from "../../actors/logs/session-logs.ts"
import { PolicyDelivery } from "../../actors/policies/policy-delivery.ts"
import { EphemeralDaemons } from "../../actors/presence/ephemeral-daemons.ts"
import { PresenceWriter } from "../../actors/presence/presence-writer.ts"
import { Roster } from "../../actors/presence/roster.ts"
import { SnapshotWriter } from "../../actors/presence/snapshot-writer.ts"
import { PushSender } from "../../actors/push/push-sender.ts"
import { RequestLog } from "../../actors/request-log/request-log.ts"
import { Supervisor } from "../../actors/runtime/supervisor.ts"
import { WorkerThread } from "../../actors/runtime/worker-thread.ts"
import { DropReporter } from "../../actors/webhooks/delivery-admission.ts"
import { Outcomes } from "../../actors/webhooks/outcomes.ts"
import { RetentionRounds } from "../../actors/webhooks/retention.ts"
import { Subscribers } from "../../actors/webhooks/service.ts"
import { SubscriptionIndex } from "../../actors/webhooks/subscription-index.ts"
import { Edge, type EdgeOptions } from "../../http/edge.ts"
import { oauthEndpoints } from "../../http/oauth/endpoints.ts"
import { idempotencyLayer } from "../../http/pipeline/idempotency.ts"
import { allRoutes } from "../../http/routes/all.ts"
import { Authenticator } from "../auth/authenticator.ts"
import { CredentialWatch } from "../auth/credential-watch.ts"
import { FederatedAccounts } from "../auth/federated-accounts.ts"
import { Jwks } from "../auth/jwks.ts"
import { KnownClients } from "../auth/oauth/known-clients.ts"
import { Oidc } from "../auth/oidc.ts"
import { Passwords } from "../auth/password.ts"
import { PushKey } from "../auth/push-key.ts"
import { AuthRetention } from "../auth/retention.ts"
import { SecretBox } from "../auth/secret-box.ts"
import { checkSecretKey, releaseSecretKey } from "../auth/secret-key-check.ts"
import { SecretRotation } from "../auth/secret-rotation.ts"
import { DashboardSessions } from "../auth/sessions.ts"
import { SigningKeys } from "../auth/signing-keys.ts"
import { layerBus } from "../bus/layer.ts"
import { Config, type Settings } from "../config.ts"
import { Ice } from "../outbound/ice.ts"
import { Outbound } from "../outbound/post.ts"
import { TurnSource } from "../outbound/turn-source.ts"
import { Artifacts } from "../registry/artifacts.ts"
import { Catalog } from "../registry/catalog.ts"
import { Downloads } from "../registry/downloads.ts"
import { Publisher } from "../registry/publisher.ts"
import { DrainDeadline } from "../runtime/drain-deadline.ts"
import { layerLog } from "../runtime/log.ts"
import { NodeCost } from "../runtime/node-cost.ts"
import { NodeId } from "../runtime/node-id.ts"
import { Readiness } from "../runtime/readiness.ts"
import { atStart } from "../runtime/start-work.ts"
import { Timers } from "../runtime/timers.ts"
import { Accounts } from "../store/accounts/accounts.ts"
import { Keys } from "../store/accounts/api-keys.ts"
import { AuditEvents } from "../store/accounts/audit-events.ts"
import { DeviceCodes } from "../store/accounts/device-codes.ts"
import { Idempotency } from "../store/accounts/idempotency.ts"
import { Identities } from "../store/accounts/identities.ts"
import { Invitations } from "../store/accounts/invitations.ts"
import { LoggedRequests } from "../store/accounts/logged-requests.ts"
import { LoginCodes } from "../store/accounts/login-codes.ts"
import { Members } from "../store/accounts/members.ts"
import { People } from "../store/accounts/people.ts"
import { ServiceAccounts } from "../store/accounts/service-accounts.ts"
import { Sessions } from "../store/accounts/sessions.ts"
import { TurnOverrides } from "../store/accounts/turn-overrides.ts"
import { TurnSets } from "../store/accounts/turn-sets.ts"
import { Usage } from "../store/accounts/usage.ts"
import { Volumes } from "../store/accounts/volumes.ts"
import { Exports } from "../store/backup/exports.ts"
import { Commands } from "../store/daemons/commands.ts"
import { DaemonReleases } from "../store/daemons/daemon-releases.ts"
import { DaemonSearch } from "../store/daemons/daemon-search.ts"
import { DaemonVersions } from "../store/daemons/daemon-versions.ts"
import { Daemons } from "../store/daemons/daemons.ts"
import { FleetTags } from "../store/daemons/fleet-tags.ts"
import { FoundDaemons } from "../store/daemons/found-daemons.ts"
import { JoinKeys } from "../store/daemons/join-keys.ts"
import { Nodes } from "../store/daemons/nodes.ts"
import { PresenceStore } from "../store/daemons/presence.ts"
import { Jobs } from "../store/jobs/jobs.ts"
import { LedJobs } from "../store/jobs/led-jobs.ts"
import { OAuthClients } from "../store/oauth/clients.ts"
import { Grants } from "../store/oauth/grants.ts"
import { Policies } from "../store/policies/policies.ts"
import { PushAnswers } from "../store/push/push-answers.ts"
import { PushSubscriptions } from "../store/push/push-subscriptions.ts"
import { Packages } from "../store/registry/packages.ts"
import * as database from "../store/sql/database.ts"
import { backlogGauges } from "../store/webhooks/backlog.ts"
import { Deliveries } from "../store/webhooks/deliveries.ts"
import { DeliveryHistory } from "../store/webhooks/delivery-history.ts"
import { DeliveryRetention } from "../store/webhooks/delivery-retention.ts"
import { Drops } from "../store/webhooks/dropped-deliveries.ts"
import { Leases } from "../store/webhooks/leases.ts"
import { Webhooks } from "../store/webhooks/webhooks.ts"
import { tracingLayer } from "../tracing/tracer.ts"

const stores = Layer.mergeAll(
  Layer.mergeAll(Accounts.layer, Keys.layer, Daemons.layer, Sessions.layer, Identities.layer, LoginCodes.layer),
  Layer.mergeAll(Usage.layer, Idempotency.layer, TurnOverrides.layer, TurnSets.layer, Packages.layer, Readiness.layer),
  Layer.mergeAll(
    Exports.layer,
    Webhooks.layer,
    Deliveries.layer,
    DeliveryHistory.layer,
    DeliveryRetention.layer,
    Leases.layer
  ),
  Layer.mergeAll(
    JoinKeys.layer,
    DaemonVersions.layer,
    DaemonReleases.layer,
    Policies.layer,
    PushSubscriptions.layer,
    PushAnswers.layer,
    Nodes.layer,
    PresenceStore.layer,
    Volumes.layer,
    Drops.layer,
    Commands.layer,
    LoggedRequests.layer
  ),
  Layer.mergeAll(DaemonSearch.layer, FleetTags.layer, FoundDaemons.layer),
  Layer.mergeAll(AuditEvents.layer, People.layer, Members.layer, Invitations.layer, ServiceAccounts.layer),
  Layer.mergeAll(Grants.layer, OAuthClients.layer),
  Layer.mergeAll(DeviceCodes.layer.pipe(Layer.provide(Keys.layer)), Jobs.layer, LedJobs.layer)
).pipe(Layer.provideMerge(database.layer))

/** Before anything seals or opens: a node with another key would harm what the others can read. */
const keyChecked = Layer.effectDiscard(Effect.acquireRelease(atStart(checkSecretKey), () => releaseSecretKey))

const common = (settings: Settings) =>
  Layer.mergeAll(
    layerBus,
    Layer.provideMerge(Supervisor.layer, Timers.layer),
    SecretBox.layer,
    SecretRotation.layer(settings),
    Passwords.layer,
    DrainDeadline.layer,
    DaemonTags.layer
  )

const identity = Layer.merge(CredentialWatch.layer, KnownClients.layer).pipe(
  Layer.provideMerge(Authenticator.layer),
  Layer.provideMerge(DashboardSessions.layer),
  Layer.provideMerge(Layer.mergeAll(Jwks.layer, SigningKeys.layer, PushKey.layer, FederatedAccounts.layer, Oidc.layer))
)

const gate = ({ redisUrl }: Settings) =>
  Layer.mergeAll(
    RateLimits.layer,
    redisUrl === undefined ? Quota.layerAlone : Quota.layer,
    LoginLimits.layer,
    idempotencyLayer,
    AuthRetention.layer,
    RequestLog.layer,
    AuditLog.layer,
    AuditSink.layer
  )

const registry = (settings: Settings) =>
  Layer.mergeAll(Catalog.layer, Publisher.layer, Downloads.layer, Artifacts.layer(join(settings.dataDir, "artifacts")))

const deliveries = Layer.mergeAll(Dispatcher.layer, backlogGauges, PushSender.layer).pipe(
  Layer.provideMerge(Subscribers.layer),
  Layer.provideMerge(
    Layer.mergeAll(SubscriptionIndex.layer, Outcomes.layer, Outbound.layer, RetentionRounds.layer, LiveStreams.layer)
  ),
  Layer.provideMerge(DropReporter.layer)
)

const daemons = AccountJobs.layer.pipe(
  Layer.provideMerge(JobLeaders.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      DaemonDrain.layer,
      StoredCommands.layer,
      SessionLogs.layer,
      EphemeralDaemons.layer,
      Layer.provideMerge(Rollouts.layer, OfferedReleases.layer),
      PolicyDelivery.layer,
      ResolvedApprovals.layer,
      FleetTagging.layer,
      DaemonFinding.layer
    )
  ),
  Layer.provideMerge(Layer.mergeAll(Connections.layer, Directory.layer)),
  Layer.provideMerge(clusterLayer),
  Layer.provideMerge(Roster.layer),
  Layer.provideMerge(PresenceWriter.layer),
  Layer.provideMerge(Layer.mergeAll(SnapshotWriter.layer, TokenCache.layer, Ice.layer, CommandRecords.layer)),
  Layer.provideMerge(Layer.mergeAll(DaemonEvents.layer, TurnSource.layer, WorkerThread.layer))
)

/** A hub up to its port: stores open and migrated, everything alive, nothing listening. */
export const hubLayer = (settings: Settings) =>
  daemons.pipe(
    Layer.provideMerge(deliveries),
    Layer.provideMerge(Layer.mergeAll(gate(settings), identity, registry(settings))),
    Layer.provideMerge(Layer.merge(VolumeBudgets.layer, NodeCost.layer)),
    Layer.provideMerge(common(settings)),
    Layer.provideMerge(keyChecked),
    Layer.provideMerge(NodeId.layer()),
    Layer.provideMerge(tracingLayer(settings)),
    Layer.provideMerge(stores),
    Layer.provideMerge(Config.layer(settings))
  )

/** The services of a hub. */
export type HubServices = Layer.Success<ReturnType<typeof hubLayer>>

/** The listening edge on top of it. */
export const edgeLayer = (options: EdgeOptions = {}) => Edge.layer(allRoutes, options, oauthEndpoints)

/** What a hub logs. */
export const logLayer = layerLog
