/**
 * A small agent that speaks the Agent Client Protocol over its stdio: it echoes what it is told, word by word, and asks
 * for permission when a message speaks of deleting, or begins with what is to be done (`run git push`, `read a.txt`).
 * Owns no intelligence; it is there so that a hub can be tried out.
 */
import { Readable, Writable } from "node:stream"
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ToolCallUpdate
} from "@agentclientprotocol/sdk"

let opened = 0

const say = (client: AgentContext, sessionId: string, text: string): Promise<void> =>
  client.notify(methods.client.session.update, {
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } }
  })

type Asked = Pick<ToolCallUpdate, "kind" | "rawInput" | "locations">

/** What a message asks to do, by its first word, or undefined. */
const askedBy = (text: string): Asked | undefined => {
  const [, word = "", rest = ""] = /^(\w+)\s+(.+)$/su.exec(text.trim()) ?? []
  const kind = word.toLowerCase()
  if (kind === "run") return { kind: "execute", rawInput: { command: rest } }
  if (kind === "fetch") return { kind, rawInput: { url: rest } }
  if (kind === "read" || kind === "edit" || kind === "delete" || kind === "move" || kind === "search")
    return { kind, locations: [{ path: rest }] }
  return /\bdelete\b/iu.test(text) ? { kind: "delete" } : undefined
}

const permitted = async (client: AgentContext, sessionId: string, title: string, asked: Asked): Promise<boolean> => {
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: { toolCallId: "call_1", title, status: "pending", ...asked },
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
    const asked = askedBy(text)
    if (asked?.kind === "delete") {
      const may = await permitted(client, sessionId, `Delete as told: ${text}`, asked)
      await say(client, sessionId, may ? " It is deleted." : " Nothing was deleted.")
    } else if (asked !== undefined) {
      const may = await permitted(client, sessionId, `As told: ${text}`, asked)
      await say(client, sessionId, may ? " It is done." : " Nothing was done.")
    }
    return { stopReason: "end_turn" }
  })

app.connect(
  ndJsonStream(
    Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
  )
)
