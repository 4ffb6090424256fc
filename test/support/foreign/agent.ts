/**
 * An agent over the Agent Client Protocol in forms that the project's own test agent does not have, line by line,
 * without the protocol's library. Owns its program and its provider; each oddity is a word.
 */
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Provider } from "../../../daemon/providers.ts"

/**
 * `models`: offers `small` and `large` by the list that the protocol had before, chosen by `session/set_model`. `stops
 * <reason>`: ends each turn with this reason. It says which model it has, whatever it is asked.
 */
export type AgentOddity = "models" | `stops ${string}`

const file = fileURLToPath(import.meta.url)

/** A provider that starts it. */
export const foreignAgent = (...oddities: ReadonlyArray<AgentOddity>): Provider => ({
  type: "foreign",
  category: "acp",
  command: process.execPath,
  args: [file, ...oddities],
  displayName: "Foreign agent",
  from: "/"
})

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly sessionId?: string; readonly modelId?: string }
}

const run = (oddities: ReadonlyArray<string>): void => {
  let model = "small"
  const reason = oddities.find((one) => one.startsWith("stops "))?.slice("stops ".length) ?? "end_turn"
  const offered = ["small", "large"].map((modelId) => ({ modelId, name: modelId }))
  const models = oddities.includes("models") ? { models: { availableModels: offered, currentModelId: model } } : {}
  const write = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const answers: Readonly<Record<string, (params: NonNullable<Message["params"]>) => object>> = {
    initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
    "session/new": () => ({ sessionId: "foreign-1", ...models }),
    "session/set_model": ({ modelId }) => {
      model = String(modelId)
      return {}
    },
    "session/prompt": ({ sessionId }) => {
      const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: model } }
      write({ method: "session/update", params: { sessionId, update } })
      return { stopReason: reason }
    }
  }
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method = "", params = {} } = JSON.parse(line) as Message
    const answer = answers[method]
    if (id === undefined) return
    if (answer === undefined) return void write({ id, error: { code: -32_601, message: "Method not found" } })
    write({ id, result: answer(params) })
  })
}

if (process.argv[1] === file) run(process.argv.slice(2))
