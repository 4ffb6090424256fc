/**
 * Which operations of the contract are tools for an agent, and what each tool is called. Owns the names and the reasons
 * why an operation is none. An operation that is added to the contract is a tool by its own name.
 */
import type { Operation } from "../reference/operations.ts"

/** Names that say more than the contract's own ones, which a reader sees beside their path. */
const names: Readonly<Record<string, string>> = {
  "account.me": "get_account",
  "account.usage": "get_usage",
  "daemons.list": "list_daemons",
  "daemons.status": "get_daemon_status",
  "daemons.command": "send_command",
  "daemons.terminal": "run_terminal_command",
  "shortcuts.launch": "launch_agent",
  "shortcuts.stop": "stop_agent",
  "shortcuts.send": "send_chat_message",
  "shortcuts.read": "read_chat",
  "shortcuts.debug": "get_debug_bundle",
  "shortcuts.approve": "approve",
  "shortcuts.status": "get_agent_status",
  "commands.list": "list_commands",
  "commands.get": "get_command",
  "commands.cancel": "cancel_command",
  "commands.output": "read_command_output",
  "jobs.start": "start_job",
  "jobs.list": "list_jobs",
  "jobs.get": "get_job",
  "jobs.targets": "list_job_targets",
  "jobs.cancel": "cancel_job",
  "sessions.events": "list_session_events",
  "webhooks.list": "list_webhooks",
  "webhooks.deliveries": "list_webhook_deliveries",
  "registry.list": "list_providers",
  "registry.type": "get_provider",
  "registry.version": "get_provider_version",
  "registry.promote": "promote_provider_version",
  "registry.yank": "yank_provider_version",
  "registry.restore": "restore_provider_version"
}

/** Operations that an agent has no use for. */
const apart: Readonly<Record<string, string>> = {
  "shortcuts.debugWith": "its snapshot is a dashboard's; get_debug_bundle gives the rest",
  "events.listenSecret": "a secret for a program that checks signatures",
  "registry.publish": "its body is a packed file"
}
/** Groups that serve operators, people who sign in, browsers and readers of documents. */
const groupsApart = new Set(["system", "auth", "deviceCodes", "reference", "turn"])

const isJson = ({ spec }: Operation): boolean =>
  Object.entries(spec["responses"] as Readonly<Record<string, { readonly content?: object }>>)
    .filter(([status]) => status.startsWith("2"))
    .every(([, { content }]) => content !== undefined && Object.keys(content).join() === "application/json")

/** Whether an operation is a tool: one whose caller may be an API key, and that answers with JSON, once. */
export const isTool = (operation: Operation): boolean => {
  const { access, tag, spec, method } = operation
  if (access.kind === "session" || access.kind === "joinKey" || access.recent === true || access.streams !== undefined)
    return false
  return !groupsApart.has(tag) && !(String(spec["operationId"]) in apart) && method !== "head" && isJson(operation)
}

/** `commands.getAll` is `get_all_commands`. */
export const toolName = (id: string): string => {
  const [group = "", own = ""] = id.split(".")
  return names[id] ?? `${own.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)}_${group}`
}
