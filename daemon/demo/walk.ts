/**
 * The way through the API that the demonstration shows: the typical flow of an integration, every daemon and shortcut
 * endpoint, and the refusals. Owns the order and what must come back; starts and ends nothing.
 */
import type { Answer, Call, Caller } from "./caller.ts"

/** The agent of the demonstration. */
export const sampleType = "sample-agent"

const post = (path: string, body: unknown = {}, as: Call["as"] = "key"): Call => ({ method: "POST", path, body, as })

const expect = (what: string, holds: boolean): void => {
  if (!holds) throw new Error(`expected ${what}`)
}

const connectedDaemon = async (hub: Caller): Promise<string> => {
  const listed = await hub.until(
    "List the daemons that are connected",
    { path: "/api/v1/daemons" },
    ({ daemons }) => daemons.length > 0
  )
  return listed.daemons[0].id
}

const terminal = async (hub: Caller, daemonId: string): Promise<void> => {
  const path = `/api/v1/daemons/${daemonId}/terminal`
  const command = "echo hello from $(uname -s); pwd; ls /nowhere"
  const done = await hub.call("Run a command on the machine", post(path, { command, name: "greeting", cwd: "" }))
  expect("the output of the command", done.result.stdout.startsWith("hello from "))
  const refused = await hub.call(
    "A refusal by the daemon is not a fault",
    post(path, { command: "pwd", cwd: "/nowhere" })
  )
  expect("a refusal in words", refused.success === false && refused.daemonCode === "no_such_folder")
}

const launch = async (hub: Caller, daemonId: string): Promise<string> => {
  await hub.call("Launch an agent", post(`/api/v1/shortcuts/${daemonId}/launch`, { type: sampleType }))
  const status = await hub.until(
    "Pick a target from the daemon's status",
    { path: `/api/v1/daemons/${daemonId}/status` },
    ({ agents }) => agents.length > 0
  )
  return status.agents[0].targetId
}

/** The last thing the agent has said. */
const lastWords = (chat: Answer["body"]): string => chat.messages.at(-1)?.text ?? ""

const chat = async (hub: Caller, target: string): Promise<void> => {
  const at = `/api/v1/shortcuts/${target}`
  await hub.call("Say something to the agent", post(`${at}/chat`, { message: "Hello, agent" }))
  await hub.until(
    "Read the chat",
    { path: `${at}/chat` },
    (read) => read.status === "idle" && lastWords(read) === "You said: Hello, agent"
  )
  for (const [action, outcome] of [
    ["approve", "It is deleted."],
    ["reject", "Nothing was deleted."]
  ] as const) {
    const text = `Please delete the build folder (${action})`
    const input = { parts: [{ type: "text", text }], textFallback: text }
    await hub.until("The agent is idle", { path: `${at}/status` }, ({ status }) => status === "idle")
    await hub.call("Ask for something that needs approval, in the canonical form", post(`${at}/chat`, { input }))
    const asked = await hub.until(
      "The agent waits",
      { path: `${at}/status` },
      ({ status }) => status === "waiting_approval"
    )
    expect("the question", asked.activeModal.message.includes("delete the build folder"))
    await hub.call(`Answer it: ${action}`, post(`${at}/approve`, { action }))
    await hub.until("The agent has gone on", { path: `${at}/chat` }, (read) => lastWords(read).endsWith(outcome))
  }
}

const debug = async (hub: Caller, target: string): Promise<void> => {
  const path = `/api/v1/shortcuts/${target}/chat/debug`
  const plain = await hub.call("A debug bundle of the chat", { path })
  expect("bundle and text", typeof plain.bundle === "object" && typeof plain.text === "string")
  const frontendSnapshot = { activeConversation: { sessionId: "shown-in-the-browser" } }
  await hub.call("The same with what the dashboard shows", post(path, { frontendSnapshot }))
}

/** All seven types of the raw command route; a reference daemon has no IDE and says so. */
const commands = async (hub: Caller, daemonId: string, sessionId: string): Promise<void> => {
  const raw = (title: string, type: string, payload: Record<string, unknown>) =>
    hub.call(title, post(`/api/v1/daemons/${daemonId}/command`, { type, payload }))
  const targetSessionId = sessionId
  const ide = await raw("Raw commands: launch_ide, refused in words", "launch_ide", { ideType: "any" })
  const shot = await raw("screenshot, refused in words", "screenshot", { targetSessionId, width: 640 })
  expect(
    "refusals in words",
    [ide, shot].every(({ success, error }) => success === false && typeof error === "string")
  )
  await hub.until(
    "The agent is idle",
    { path: `/api/v1/shortcuts/${daemonId}:session:${sessionId}/status` },
    ({ status }) => status === "idle"
  )
  await raw("send_chat", "send_chat", { message: "And now by a raw command", targetSessionId })
  await raw("read_chat", "read_chat", { targetSessionId })
  await raw("resolve_action, with nothing to resolve", "resolve_action", { action: "approve", targetSessionId })
  const second = await raw("launch_cli", "launch_cli", { cliType: sampleType })
  const stopped = await raw("stop_cli", "stop_cli", { cliType: sampleType, targetSessionId: second.result.sessionId })
  expect("that one to stop", stopped.result.stopped.length === 1)
}

const refusals = async (hub: Caller, daemonId: string, target: string): Promise<void> => {
  const at = `/api/v1/daemons/${daemonId}`
  const anonymous = { path: "/api/v1/daemons", as: "none" } as const
  await hub.call("Without a key", anonymous, 401)
  await hub.call("A daemon of another account", { path: "/api/v1/daemons/dmn_00000000000000000000/status" }, 404)
  await hub.call("A command that is not public", post(`${at}/command`, { type: "terminal_exec", payload: {} }), 400)
  await hub.call("An empty message", post(`/api/v1/shortcuts/${target}/chat`, { message: " " }), 400)
  await hub.call("What needs a recent login, with a key", post(`${at}/disconnect`), 403)
  await hub.call("And the other one", post(`${at}/revoke`), 403)
}

/** What only a person who has just signed in may do. */
const signedIn = async (hub: Caller, daemonId: string, login: { email: string; password: string }): Promise<void> => {
  const session = await hub.quietly(post("/api/v1/auth/login", login, "none"))
  expect(`a dashboard login (it was answered ${session.status})`, session.status === 200)
  hub.signedIn(session.body.token)
  await hub.call("Disconnect the daemon", post(`/api/v1/daemons/${daemonId}/disconnect`, {}, "session"))
  await hub.until(
    "It comes back by itself",
    { path: `/api/v1/daemons/${daemonId}/status` },
    ({ online, connectedAt }) => online && connectedAt !== null
  )
}

/** Walks all of it. With `keep`, the daemon's token stays valid. */
export const walk = async (
  hub: Caller,
  login: { readonly email: string; readonly password: string },
  keep: boolean
): Promise<void> => {
  const daemonId = await connectedDaemon(hub)
  await terminal(hub, daemonId)
  const target = await launch(hub, daemonId)
  await chat(hub, target)
  await debug(hub, target)
  const status = await hub.call("Where the agent stands", { path: `/api/v1/shortcuts/${target}/status` })
  await commands(hub, daemonId, status.sessionId)
  await refusals(hub, daemonId, target)
  await hub.call("Stop the agent", post(`/api/v1/shortcuts/${daemonId}/stop`, { type: sampleType }))
  await signedIn(hub, daemonId, login)
  if (!keep) await hub.call("Revoke its token for good", post(`/api/v1/daemons/${daemonId}/revoke`, {}, "session"))
}
