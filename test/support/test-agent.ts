/**
 * An agent for tests, over the Agent Client Protocol. Owns a few keywords: `ask` asks for permission, `ask twice` twice
 * in a row, `show` sends an update of each kind, `fail` fails the turn, `hang` never ends it, `crash` ends the program,
 * `spawn` leaves a child behind, `unasked` asks with no way to allow, `run LINE` asks to run a line that its tool call
 * named before, `late` says more after its turn, `deaf` ends no turn. Started with `--mute FILE` it writes its process
 * id there and never answers at all. Everything else is echoed in two pieces.
 */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { Readable, Writable } from "node:stream"
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  type PermissionOption,
  PROTOCOL_VERSION,
  type PromptResponse,
  type SessionUpdate,
  type ToolCallUpdate
} from "@agentclientprotocol/sdk"

const models = [
  { value: "small", name: "Small" },
  { value: "large", name: "Large" }
]
let model = "small"
let sessions = 0
const hanging = new Set<(response: PromptResponse) => void>()

const say = (client: AgentContext, sessionId: string, text: string): Promise<void> =>
  client.notify(methods.client.session.update, {
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } }
  })

const remove = { toolCallId: "call_1", title: "Remove the build folder" }

const ask = async (
  client: AgentContext,
  sessionId: string,
  options: Array<PermissionOption>,
  toolCall: ToolCallUpdate = remove
): Promise<string> => {
  const { outcome } = await client.request(methods.client.session.requestPermission, { sessionId, toolCall, options })
  return outcome.outcome === "selected" ? outcome.optionId : "cancelled"
}

const both: Array<PermissionOption> = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "once", name: "Once", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" }
]

const show = async (client: AgentContext, sessionId: string): Promise<void> => {
  const tell = (update: SessionUpdate) => client.notify(methods.client.session.update, { sessionId, update })
  const text = (words: string) => ({ type: "text" as const, text: words })
  await tell({ sessionUpdate: "agent_thought_chunk", content: text("hm") })
  await tell({ sessionUpdate: "plan", entries: [{ content: "Look", priority: "high", status: "pending" }] })
  await say(client, sessionId, "first ")
  await say(client, sessionId, "part")
  await tell({ sessionUpdate: "tool_call", toolCallId: "call_7", title: "Read", kind: "read", rawInput: { path: "a" } })
  await tell({ sessionUpdate: "tool_call_update", toolCallId: "call_7", status: "completed" })
  await tell({ sessionUpdate: "usage_update", used: 10, size: 100 })
  await tell({ sessionUpdate: "current_mode_update", currentModeId: "code" })
  await tell({ sessionUpdate: "agent_message_chunk", messageId: "own1", content: text("second") })
  await tell({ sessionUpdate: "agent_message_chunk", messageId: "own2", content: text("third") })
}

/** Its question names no more than the id of the call that it told of. */
const run = async (client: AgentContext, sessionId: string, command: string): Promise<void> => {
  const call = { toolCallId: "call_2", title: "Run it", kind: "execute" as const, rawInput: { command } }
  await client.notify(methods.client.session.update, { sessionId, update: { sessionUpdate: "tool_call", ...call } })
  await say(client, sessionId, `answered ${await ask(client, sessionId, both, { toolCallId: "call_2" })}`)
}

const turn = async (client: AgentContext, sessionId: string, text: string): Promise<PromptResponse> => {
  if (text === "fail") throw new Error("the model is away")
  if (text === "crash") process.exit(3)
  if (text === "hang") return await new Promise((resolve) => hanging.add(resolve))
  if (text === "ask") await say(client, sessionId, `answered ${await ask(client, sessionId, both)}`)
  else if (text.startsWith("run ")) await run(client, sessionId, text.slice(4))
  else if (text === "deaf") return await new Promise(() => undefined)
  else if (text === "late") {
    await say(client, sessionId, "before")
    setTimeout(() => void say(client, sessionId, ", after"), 50)
  } else if (text === "ask twice") {
    const first = await ask(client, sessionId, both)
    await say(client, sessionId, `answered ${first}, then ${await ask(client, sessionId, both)}`)
  } else if (text === "show") await show(client, sessionId)
  else if (text === "unasked") await say(client, sessionId, `answered ${await ask(client, sessionId, [both[2]!])}`)
  else if (text === "model") await say(client, sessionId, model)
  else if (text === "spawn") {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })
    await say(client, sessionId, String(child.pid))
  } else {
    await client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: "tool_call", toolCallId: "call_0", title: "Think" }
    })
    await say(client, sessionId, "echo: ")
    await say(client, sessionId, text)
  }
  return { stopReason: "end_turn" }
}

const app = agent({ name: "test-agent" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, () => ({
    sessionId: `test-${++sessions}`,
    configOptions: [
      { id: "model", name: "Model", category: "model", type: "select", currentValue: model, options: models }
    ]
  }))
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    model = String(params.value)
    return { configOptions: [] }
  })
  .onNotification(methods.agent.session.cancel, () => {
    for (const end of hanging) end({ stopReason: "cancelled" })
  })
  .onRequest(methods.agent.session.prompt, ({ params, client }) =>
    turn(client, params.sessionId, params.prompt.map((block) => (block.type === "text" ? block.text : "")).join(""))
  )

process.stderr.write("test agent up, token=sesame-open\n")
const mute = process.argv.indexOf("--mute")
if (mute > 0) {
  writeFileSync(process.argv[mute + 1]!, String(process.pid))
  setInterval(() => undefined, 60_000)
} else {
  app.connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
    )
  )
}
