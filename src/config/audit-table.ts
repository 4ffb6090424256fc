/** The settings of the audit log, as table.ts has all others. Owns these rows. */
import * as kinds from "./kinds.ts"

const dayMillis = 86_400_000

export const audit = {
  auditRetentionMillis: {
    env: "HUB_AUDIT_RETENTION",
    kind: kinds.millis(3_650 * dayMillis),
    standard: "90d",
    reason: "How long the audit log keeps an event"
  },
  auditCommands: {
    env: "HUB_AUDIT_COMMANDS",
    kind: kinds.commandsShown,
    standard: "off",
    reason:
      "What the audit log and kept commands say of a terminal command: nothing, its first word (`names`), or its text without what looks like a secret (`full`). Of single accounts another: `off,acc_…=full`"
  },
  auditSink: {
    env: "HUB_AUDIT_SINK",
    kind: kinds.sink,
    reason:
      "Where each event of the audit log is handed on to: a file (lines of JSON), or the `https` address of a collector"
  },
  auditSinkSecret: {
    env: "HUB_AUDIT_SINK_SECRET",
    kind: kinds.signingSecret,
    reason: "Signs what a collector is sent, as webhooks are signed (`whsec_…`); needed with an address",
    secret: true
  }
} as const
