/**
 * Every migration, in order, forward only. A published one never changes; what is wrong in one is put right by the
 * next.
 */
import { statements as core } from "./0001_core.ts"
import { statements as sessions } from "./0002_sessions.ts"
import { statements as usageIdempotency } from "./0003_usage_idempotency.ts"
import { statements as webhooks } from "./0004_webhooks.ts"
import { statements as registry } from "./0005_registry.ts"
import { statements as turn } from "./0006_turn.ts"
import { statements as pictureEpoch } from "./0007_picture_epoch.ts"
import { statements as vouched } from "./0008_vouched.ts"
import { statements as nodes } from "./0009_nodes.ts"
import { statements as authTimeUnknown } from "./0010_auth_time_unknown.ts"
import { statements as statusTold } from "./0011_status_told.ts"
import { statements as storeChecks } from "./0012_store_checks.ts"
import { statements as daemonsCounted } from "./0013_daemons_counted.ts"
import { statements as volumes } from "./0014_volumes.ts"
import { statements as identity } from "./0015_identity.ts"
import { statements as daemonPresence } from "./0016_daemon_presence.ts"
import { statements as commands } from "./0017_commands.ts"
import { statements as requestLog } from "./0018_request_log.ts"
import { statements as presenceLastEnd } from "./0019_presence_last_end.ts"
import { statements as deviceCodes } from "./0020_device_codes.ts"
import { statements as audit } from "./0021_audit.ts"
import { statements as secretRotation } from "./0022_secret_rotation.ts"
import { statements as fleets } from "./0023_fleets.ts"
import { statements as presenceLastClose } from "./0024_presence_last_close.ts"
import { statements as deliveryTrace } from "./0025_delivery_trace.ts"
import { statements as jobs } from "./0026_jobs.ts"
import { statements as webhookSelector } from "./0027_webhook_selector.ts"
import { statements as jobKey } from "./0028_job_key.ts"
import { statements as deviceCodeAddress } from "./0029_device_code_address.ts"
import { statements as turnSets } from "./0030_turn_sets.ts"

/** One step of the schema. */
export interface Migration {
  readonly id: number
  readonly name: string
  readonly statements: ReadonlyArray<string>
  /** No node may run meanwhile: one of an earlier version would announce what the database no longer knows of. */
  readonly alone?: true
}

/** The steps this version knows. */
export const migrations: ReadonlyArray<Migration> = [
  { id: 1, name: "0001_core", statements: core },
  { id: 2, name: "0002_sessions", statements: sessions },
  { id: 3, name: "0003_usage_idempotency", statements: usageIdempotency },
  { id: 4, name: "0004_webhooks", statements: webhooks },
  { id: 5, name: "0005_registry", statements: registry },
  { id: 6, name: "0006_turn", statements: turn },
  { id: 7, name: "0007_picture_epoch", statements: pictureEpoch },
  { id: 8, name: "0008_vouched", statements: vouched },
  { id: 9, name: "0009_nodes", statements: nodes },
  { id: 10, name: "0010_auth_time_unknown", statements: authTimeUnknown },
  { id: 11, name: "0011_status_told", statements: statusTold },
  { id: 12, name: "0012_store_checks", statements: storeChecks },
  { id: 13, name: "0013_daemons_counted", statements: daemonsCounted },
  { id: 14, name: "0014_volumes", statements: volumes },
  { id: 15, name: "0015_identity", statements: identity },
  { id: 16, name: "0016_daemon_presence", statements: daemonPresence, alone: true },
  { id: 17, name: "0017_commands", statements: commands },
  { id: 18, name: "0018_request_log", statements: requestLog },
  { id: 19, name: "0019_presence_last_end", statements: presenceLastEnd },
  { id: 20, name: "0020_device_codes", statements: deviceCodes },
  { id: 21, name: "0021_audit", statements: audit },
  { id: 22, name: "0022_secret_rotation", statements: secretRotation },
  { id: 23, name: "0023_fleets", statements: fleets },
  { id: 24, name: "0024_presence_last_close", statements: presenceLastClose },
  { id: 25, name: "0025_delivery_trace", statements: deliveryTrace },
  { id: 26, name: "0026_jobs", statements: jobs },
  { id: 27, name: "0027_webhook_selector", statements: webhookSelector },
  { id: 28, name: "0028_job_key", statements: jobKey },
  { id: 29, name: "0029_device_code_address", statements: deviceCodeAddress },
  { id: 30, name: "0030_turn_sets", statements: turnSets }
]
