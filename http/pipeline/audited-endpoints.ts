/**
 * Which endpoints are audited, and as what a refusal of each counts. Owns the closed list: a test finds an endpoint
 * that may change something and is in neither part.
 */
import type { AuditAction } from "../../src/domain/account/audit-event.ts"

/** Endpoints whose changes are recorded, with the action that a refusal is noted as. */
export const auditedEndpoints: Readonly<Record<string, AuditAction>> = {
  "auth.login": "session.started",
  "auth.exchange": "session.started",
  "auth.callback": "session.started",
  "auth.refresh": "session.ended",
  "auth.logout": "session.ended",
  "auth.logoutOthers": "session.others_ended",
  "deviceCodes.token": "key.created",
  "deviceCodes.approve": "device.approved",
  "deviceCodes.deny": "device.denied",
  "keys.create": "key.created",
  "keys.revoke": "key.revoked",
  "daemons.enroll": "daemon.enrolled",
  "daemons.disconnect": "daemon.disconnected",
  "adminDaemons.disconnect": "daemon.disconnected",
  "daemons.revoke": "daemon.revoked",
  "daemons.remove": "daemon.removed",
  "daemons.tag": "daemon.tagged",
  "joinKeys.create": "join_key.created",
  "joinKeys.remove": "join_key.removed",
  "joinKeys.join": "daemon.enrolled",
  "daemons.command": "command.sent",
  "daemons.terminal": "command.sent",
  "shortcuts.launch": "command.sent",
  "shortcuts.stop": "command.sent",
  "shortcuts.send": "command.sent",
  "shortcuts.approve": "command.sent",
  "shortcuts.debug": "command.sent",
  "shortcuts.debugWith": "command.sent",
  "jobs.start": "job.started",
  "jobs.cancel": "job.cancelled",
  "webhooks.create": "webhook.created",
  "webhooks.update": "webhook.changed",
  "webhooks.remove": "webhook.removed",
  "webhooks.rotateSecret": "webhook.secret_rotated",
  "webhooks.test": "webhook.tested",
  "webhooks.retry": "webhook.resent",
  "webhooks.recover": "webhook.recovered",
  "registry.publish": "package.published",
  "registry.promote": "package.promoted",
  "registry.yank": "package.yanked",
  "registry.restore": "package.restored"
}

/** Of those, the ones that change no row of the hub: their success is noted, too. */
export const notedEndpoints: ReadonlySet<string> = new Set([
  "daemons.disconnect",
  "adminDaemons.disconnect",
  "webhooks.test"
])

/** And those whose routes note refusals themselves, since they alone know the account. */
export const selfNotingEndpoints: ReadonlySet<string> = new Set(["auth.login"])

/** Endpoints that are no GET and not audited: they change nothing of an account that lasts. */
export const unauditedEndpoints: ReadonlySet<string> = new Set([
  "deviceCodes.begin",
  "deviceCodes.show",
  "commands.cancel"
])
