/**
 * The tools that the conformance suite of MCP calls by name, for an endpoint that serves them instead of a hub's own.
 * Owns these tools; the suite says what each must answer.
 */
import {
  acceptedContent,
  type CallToolResult,
  createRequestStateCodec,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext
} from "@modelcontextprotocol/server"

type Ended = CallToolResult | InputRequiredResult
type Called = (context: ServerContext) => Ended | Promise<Ended>

const states = createRequestStateCodec<{ readonly round: number }>({ key: new Uint8Array(32).fill(7) })
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const silence = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

const words = (text: string): CallToolResult => ({ content: [{ type: "text", text }] })
const form = (name: string) =>
  inputRequired.elicit({
    message: `What is the ${name}?`,
    requestedSchema: { type: "object", properties: { [name]: { type: "string" } }, required: [name] }
  })
const sampling = inputRequired.createMessage({
  messages: [{ role: "user", content: { type: "text", text: "What is the capital of France?" } }],
  maxTokens: 50
})
const roots = inputRequired.listRoots()
const resource = (uri: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType: "text/plain", text: "text" }
})
const image = { type: "image" as const, data: pixel, mimeType: "image/png" }

const responsesOf = ({ mcpReq }: ServerContext): Readonly<Record<string, unknown>> => mcpReq.inputResponses ?? {}

/** A tool that asks for these and answers once all of them have come. */
const asking =
  (inputRequests: InputRequests, sealed = false): Called =>
  async (context) => {
    const responses = responsesOf(context)
    const isComplete = Object.entries(inputRequests).every(([name, request]) =>
      request.method === "elicitation/create"
        ? Object.keys(acceptedContent(responses, name) ?? {}).length > 0
        : responses[name] !== undefined
    )
    if (!isComplete)
      return inputRequired({ inputRequests, ...(sealed ? { requestState: await states.mint({ round: 1 }) } : {}) })
    if (sealed && context.mcpReq.requestState() === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid requestState")
    return words(`state-ok: ${JSON.stringify(responses)}`)
  }

const rounds: Called = async (context) => {
  const { round } = context.mcpReq.requestState<{ readonly round: number }>() ?? { round: 0 }
  if (round === 2) return words("Both rounds are over")
  const requestState = await states.mint({ round: round + 1 })
  return inputRequired({ inputRequests: { [`step${round + 1}`]: form(round === 0 ? "name" : "color") }, requestState })
}

const byCapability: Called = (context) => {
  if (context.mcpReq.inputResponses !== undefined) return words("Answered")
  const envelope = context.mcpReq.envelope as Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
  const declared = envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {}
  const inputRequests: InputRequests = {
    ...(declared["elicitation"] === undefined ? {} : { user_name: form("name") }),
    ...(declared["sampling"] === undefined ? {} : { greeting: sampling }),
    ...(declared["roots"] === undefined ? {} : { client_roots: roots })
  }
  return Object.keys(inputRequests).length === 0 ? words("Nothing can be asked") : inputRequired({ inputRequests })
}

const progress: Called = async ({ mcpReq }) => {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken !== undefined)
    for (const done of [0, 50, 100])
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: done, total: 100 } })
  return words("Done")
}

const tools: Readonly<Record<string, Called>> = {
  test_simple_text: () => words("This is a simple text response for testing."),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: "audio", data: silence, mimeType: "audio/wav" }] }),
  test_embedded_resource: () => ({ content: [resource("test://embedded-resource")] }),
  test_multiple_content_types: () => ({ content: [...words("Several").content, image, resource("test://mixed")] }),
  test_error_handling: () => ({ isError: true, ...words("This tool intentionally returns an error for testing") }),
  test_tool_with_progress: progress,
  test_streaming_elicitation: () => words("No request comes on this stream"),
  test_logging_tool: () => words("Nothing is logged"),
  test_missing_capability: asking({ llm_answer: sampling }),
  test_input_required_result_elicitation: asking({ user_name: form("name") }),
  test_input_required_result_sampling: asking({ capital_question: sampling }),
  test_input_required_result_list_roots: asking({ client_roots: roots }),
  test_input_required_result_request_state: asking({ confirm: form("ok") }, true),
  test_input_required_result_multiple_inputs: asking(
    { user_name: form("name"), greeting: sampling, client_roots: roots },
    true
  ),
  test_input_required_result_multi_round: rounds,
  test_input_required_result_tampered_state: asking({ confirm: form("ok") }, true),
  test_input_required_result_capabilities: byCapability
}

const definitions = Object.keys(tools).map((name) => ({
  name,
  description: `A tool that the conformance suite calls: ${name}`,
  inputSchema: { type: "object" as const }
}))

/** Makes the server of one request. */
export const fixtureServer = (): Server => {
  const server = new Server(
    { name: "fixture", version: "1.0.0" },
    { capabilities: { tools: {} }, requestState: { verify: states.verify } }
  )
  server.setRequestHandler("tools/list", () => ({ tools: definitions }))
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const called = tools[params.name]
    if (called === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
    return called(context)
  })
  return server
}
