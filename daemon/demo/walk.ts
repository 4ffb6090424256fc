/**
 * The way through the API that the demonstration shows: the typical flow of an integration, every daemon and shortcut
 * endpoint, and the refusals. Owns the order and what must come back; starts and ends nothing.
 */
import type { Input, Output } from "../../client/src/index.ts"
import type { Caller } from "./caller.ts"

/** The agent of the demonstration. */
export const sampleType = "sample-agent"

/** Throws where what came back is not what it must be. */
function expect(what: string, holds: boolean): asserts holds {
  if (!holds) throw new Error(`expected ${what}`)
}

const connectedDaemon = async (hub: Caller): Promise<string> => {
  const { daemons } = await hub.until(
    "List the daemons that are connected",
    () => hub.key.daemons.list(),
    ({ daemons }) => daemons.length > 0
  )
  return daemons[0]!.id
}

const terminal = async (hub: Caller, daemonId: string): Promise<void> => {
  const command = "echo hello from $(uname -s); pwd; ls /nowhere"
  const done = await hub.call("Run a command on the machine", () =>
    hub.key.daemons.terminal({ daemonId, command, name: "greeting", cwd: "" })
  )
  expect("the output of the command", done.success && done.result.stdout.startsWith("hello from "))
  const refused = await hub.call("A refusal by the daemon is not a fault", () =>
    hub.key.daemons.terminal({ daemonId, command: "pwd", cwd: "/nowhere" })
  )
  expect("a refusal in words", !refused.success && refused.daemonCode === "no_such_folder")
}

const launch = async (hub: Caller, daemonId: string): Promise<string> => {
  await hub.call("Launch an agent", () => hub.key.shortcuts.launch({ daemonId, type: sampleType }))
  const { agents } = await hub.until(
    "Pick a target from the daemon's status",
    () => hub.key.daemons.status({ daemonId }),
    ({ agents }) => agents.length > 0
  )
  return agents[0]!.targetId
}

/** The last thing the agent has said. */
const lastWords = (chat: Output<"shortcuts.read">): string =>
  chat.success ? ((chat.messages?.at(-1) as { readonly text?: string } | undefined)?.text ?? "") : ""

const untilIdle = (hub: Caller, ideId: string) =>
  hub.until(
    "The agent is idle",
    () => hub.key.shortcuts.status({ ideId }),
    ({ status }) => status === "idle"
  )

const chat = async (hub: Caller, ideId: string): Promise<void> => {
  const { shortcuts } = hub.key
  await hub.call("Say something to the agent", () => shortcuts.send({ ideId, message: "Hello, agent" }))
  await hub.until(
    "Read the chat",
    () => shortcuts.read({ ideId }),
    (read) => read.success && read.status === "idle" && lastWords(read) === "You said: Hello, agent"
  )
  for (const [action, outcome] of [
    ["approve", "It is deleted."],
    ["reject", "Nothing was deleted."]
  ] as const) {
    const text = `Please delete the build folder (${action})`
    await untilIdle(hub, ideId)
    await hub.call("Ask for something that needs approval, in the canonical form", () =>
      shortcuts.send({ ideId, input: { parts: [{ type: "text", text }], textFallback: text } })
    )
    const { activeModal } = await hub.until(
      "The agent waits",
      () => shortcuts.status({ ideId }),
      ({ status }) => status === "waiting_approval"
    )
    expect("the question", activeModal?.message.includes("delete the build folder") === true)
    await hub.call(`Answer it: ${action}`, () => shortcuts.approve({ ideId, action }))
    await hub.until(
      "The agent has gone on",
      () => shortcuts.read({ ideId }),
      (read) => lastWords(read).endsWith(outcome)
    )
  }
}

const debug = async (hub: Caller, ideId: string): Promise<void> => {
  const { shortcuts } = hub.key
  const plain = await hub.call("A debug bundle of the chat", () => shortcuts.debug({ ideId }))
  expect("bundle and text", plain.success && typeof plain.bundle === "object" && typeof plain.text === "string")
  const frontendSnapshot = { activeConversation: { sessionId: "shown-in-the-browser" } }
  await hub.call("The same with what the dashboard shows", () => shortcuts.debugWith({ ideId, frontendSnapshot }))
}

/** All seven types of the raw command route; a reference daemon has no IDE and says so. */
const commands = async (hub: Caller, daemonId: string, targetSessionId: string): Promise<void> => {
  const raw = (title: string, type: Input<"daemons.command">["type"], payload: Record<string, unknown>) =>
    hub.call(title, () => hub.key.daemons.command({ daemonId, type, payload }))
  const ide = await raw("Raw commands: launch_ide, refused in words", "launch_ide", { ideType: "any" })
  const shot = await raw("screenshot, refused in words", "screenshot", { targetSessionId, width: 640 })
  expect("refusals in words", !ide.success && !shot.success)
  await untilIdle(hub, `${daemonId}:session:${targetSessionId}`)
  await raw("send_chat", "send_chat", { message: "And now by a raw command", targetSessionId })
  await raw("read_chat", "read_chat", { targetSessionId })
  await raw("resolve_action, with nothing to resolve", "resolve_action", { action: "approve", targetSessionId })
  const second = await raw("launch_cli", "launch_cli", { cliType: sampleType })
  expect("a second agent", second.success)
  const { sessionId } = second.result as { readonly sessionId: string }
  const stopped = await raw("stop_cli", "stop_cli", { cliType: sampleType, targetSessionId: sessionId })
  expect("that one to stop", stopped.success && (stopped.result as { stopped: Array<unknown> }).stopped.length === 1)
}

const refusals = async (hub: Caller, daemonId: string, ideId: string): Promise<void> => {
  const { daemons, shortcuts } = hub.key
  await hub.refused("Without a key", 401, () => hub.anonymous.daemons.list())
  await hub.refused("A daemon of another account", 404, () => daemons.status({ daemonId: "dmn_00000000000000000000" }))
  const type = "terminal_exec" as Input<"daemons.command">["type"]
  await hub.refused("A command that is not public", 400, () => daemons.command({ daemonId, type, payload: {} }))
  await hub.refused("An empty message", 400, () => shortcuts.send({ ideId, message: " " }))
  await hub.refused("What needs a recent login, with a key", 403, () => daemons.disconnect({ daemonId }))
  await hub.refused("And the other one", 403, () => daemons.revoke({ daemonId }))
}

/** What only a person who has just signed in may do. With `keep`, the daemon's token stays valid. */
const signedIn = async (hub: Caller, daemonId: string, login: Input<"auth.login">, keep: boolean): Promise<void> => {
  const { token } = await hub.anonymous.auth.login(login)
  const { daemons } = hub.client("session", token)
  await hub.call("Disconnect the daemon", () => daemons.disconnect({ daemonId }))
  await hub.until(
    "It comes back by itself",
    () => hub.key.daemons.status({ daemonId }),
    ({ online, connectedAt }) => online && connectedAt !== null
  )
  if (!keep) await hub.call("Revoke its token for good", () => daemons.revoke({ daemonId }))
}

/** Walks all of it. With `keep`, the daemon's token stays valid. */
export const walk = async (hub: Caller, login: Input<"auth.login">, keep: boolean): Promise<void> => {
  const daemonId = await connectedDaemon(hub)
  await terminal(hub, daemonId)
  const target = await launch(hub, daemonId)
  await chat(hub, target)
  await debug(hub, target)
  const status = await hub.call("Where the agent stands", () => hub.key.shortcuts.status({ ideId: target }))
  await commands(hub, daemonId, status.sessionId)
  await refusals(hub, daemonId, target)
  await hub.call("Stop the agent", () => hub.key.shortcuts.stop({ daemonId, type: sampleType }))
  await signedIn(hub, daemonId, login, keep)
}
