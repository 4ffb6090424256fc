/**
 * A small agent that speaks the Agent Client Protocol over its stdio: it echoes what it is told, word by word, and asks
 * for permission when a message speaks of deleting. Owns no intelligence; it is there so that a hub can be tried out.
 */
import { Readable, Writable } from "node:stream"
import { type AgentContext, agent, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk"

let opened = 0

const say = (client: AgentContext, sessionId: string, text: string): Promise<void> =>
  client.notify(methods.client.session.update, {
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } }
  })

const permitted = async (client: AgentContext, sessionId: string, title: string): Promise<boolean> => {
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: { toolCallId: "call_1", title, kind: "delete", status: "pending" },
    options: [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" }
    ]
  })
  return outcome.outcome === "selected" && outcome.optionId === "yes"
}

const app = agent({ name: "sample-agent" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: { loadSession: false },
    agentInfo: { name: "sample-agent", version: "1.0.0" }
  }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: `sample-${++opened}` }))
  .onNotification(methods.agent.session.cancel, () => undefined)
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const text = params.prompt.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join(" ")
    const { sessionId } = params
    for (const word of `You said: ${text}`.split(/(?<= )/u)) await say(client, sessionId, word)
    if (/\bdelete\b/iu.test(text)) {
      const may = await permitted(client, sessionId, `Delete as told: ${text}`)
      await say(client, sessionId, may ? " It is deleted." : " Nothing was deleted.")
    }
    return { stopReason: "end_turn" }
  })

app.connect(
  ndJsonStream(
    Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
  )
)
