/** Who ran what: what the audit log and kept commands say of a terminal command, as the operator has it. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { AuditLog } from "../../../actors/audit-log/audit-log.ts"
import { readCommandsShown } from "../../../src/domain/command/shown-command.ts"
import { ownedDaemon } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"

const hub = useHub()

it("says nothing of a command unless it is asked for, then its first word, or its text without secrets", async () => {
  for (const [auditCommands, said] of [
    ["off", undefined],
    ["names", "npm"],
    ["full", "npm i --token=[redacted]"]
  ] as const) {
    await hub.restart({ auditCommands: readCommandsShown(auditCommands)! })
    const { account, key, daemonId, connect } = await ownedDaemon(hub)
    const session = await account.session()
    const peer = await connect({ report: [] })
    peer.answerWith(() => ({ exitCode: 0, stdout: "", stderr: "", durationMs: 1, truncated: false }))
    const command = "npm i --token=abcdefghijklmnop"
    const path = `/api/v1/daemons/${daemonId}/terminal`
    await hub.request("POST", path, { key, body: { command } })
    await hub.request("POST", path, { key, body: { command }, headers: { prefer: "respond-async" } })
    const body = { daemonIds: [daemonId], type: "terminal_exec", payload: { command } }
    await hub.request("POST", "/api/v1/jobs", { key, body })
    await hub.inside(Effect.flatMap(AuditLog, (log) => log.flush))
    const { events } = (await hub.request("GET", "/api/v1/audit", { session })).body
    const details = events
      .filter(({ action }: { action: string }) => action === "command.sent" || action === "job.started")
      .map(({ detail }: { detail: string }) => detail)
    const job = said === undefined ? "terminal_exec 1 named" : `terminal_exec 1 named: ${said}`
    const sent = said === undefined ? "terminal_exec" : `terminal_exec ${said}`
    expect([...new Set(details)].sort(), auditCommands).toEqual([job, sent].sort())
    const { commands } = (await hub.request("GET", "/api/v1/commands", { key })).body
    expect(new Set(commands.map((one: { command?: string }) => one.command)), auditCommands).toEqual(new Set([said]))
    await peer.leave()
  }
})

it("says of a command that is asked for twice under one Idempotency-Key that it was sent once", async () => {
  const { account, key, daemonId, connect } = await ownedDaemon(hub)
  const peer = await connect({ report: [] })
  peer.answerWith(() => ({}))
  const body = { type: "launch_ide", payload: { ideType: "vscode" } }
  const asked = { key, body, headers: { "idempotency-key": "once" } }
  for (let times = 0; times < 2; times++) await hub.request("POST", `/api/v1/daemons/${daemonId}/command`, asked)
  await hub.inside(Effect.flatMap(AuditLog, (log) => log.flush))
  const { events } = (
    await hub.request("GET", "/api/v1/audit?action=command.sent", { session: await account.session() })
  ).body
  expect(events).toMatchObject([{ outcome: "done", count: 1 }])
})
