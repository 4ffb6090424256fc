/**
 * An approval as a question to the caller: a chat message whose agent waits for an approval becomes an elicitation,
 * and the call that brings the choice goes on where the first one stopped. Owns the question and its sealed state,
 * which any node opens; keeps nothing.
 */
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode
} from "@modelcontextprotocol/server"
import type { Seal } from "../../src/auth/secret-box.ts"
import { promptActions } from "../../src/domain/command/prompt.ts"
import { agentWaitSecondsMax, waitSecondsUsual } from "../../src/limits/agent-waits.ts"
import { looksAfterApprovalMax, questionMillisMax } from "../../src/limits/mcp.ts"
import { isRecord } from "../../src/protocol/is-record.ts"
import type { CallOperation, McpCall } from "./tool-calls.ts"
import type { Arguments } from "./tool-request.ts"
import { resultWith, toolResult, valueOf } from "./tool-result.ts"

type Value = Readonly<Record<string, unknown>>
/** What a call that may ask ends with. */
export type ToolOutcome = CallToolResult | InputRequiredResult

/** The operation whose agent may ask, and the name of the question. */
export const askingOperation = "shortcuts.send"
const questionName = "approval"

/** What the second call needs of the first. */
interface State {
  readonly expiresAt: number
  /** The first call's answer, without what the agent said. */
  readonly answer: Value
  readonly modal: Value
}

const belongs = ({ principal }: McpCall, given: Arguments): string =>
  `mcp ${askingOperation} ${principal.accountId} ${String(given["ideId"])}`

const messageOf = ({ message, buttons }: Value): string =>
  [
    typeof message === "string" && message !== "" ? message : "The agent asks for an approval.",
    ...(Array.isArray(buttons) && buttons.length > 0 ? [`The agent offers: ${buttons.join(", ")}.`] : [])
  ].join("\n\n")

const schema = {
  type: "object" as const,
  properties: { choice: { type: "string" as const, title: "What to do", enum: [...promptActions] } },
  required: ["choice"]
}

const promptOf = (modal: Value): string | undefined =>
  typeof modal["promptId"] === "string" ? modal["promptId"] : undefined

/** Whether an answer to a message says that its agent waits for an approval. */
export const waitsForApproval = (value: Value): boolean => value["status"] === "waiting_approval"

/** Builds the two halves: the question, and what follows its answer. */
export const approvalQuestions = (seal: Seal, callOperation: CallOperation) => {
  const ask = (call: McpCall, given: Arguments, value: Value): InputRequiredResult => {
    const { messages, activeModal, ...answer } = value
    const modal = isRecord(activeModal) ? activeModal : {}
    const state: State = { expiresAt: call.now() + questionMillisMax, answer, modal }
    return inputRequired({
      inputRequests: { [questionName]: inputRequired.elicit({ message: messageOf(modal), requestedSchema: schema }) },
      requestState: seal.seal(JSON.stringify(state), belongs(call, given))
    })
  }

  const open = (call: McpCall, given: Arguments, text: string): State => {
    const refusal = new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState")
    try {
      const state = JSON.parse(seal.open(text, belongs(call, given))) as State
      if (state.expiresAt > call.now()) return state
    } catch {
      throw refusal
    }
    throw refusal
  }

  /** Waits until the turn is over, another question comes, or the time is over. */
  const follow = async (
    call: McpCall,
    given: Arguments,
    { answer, modal }: State,
    done: Value
  ): Promise<ToolOutcome> => {
    const seconds = Math.min(
      Number(given["timeoutSeconds"] ?? waitSecondsUsual) || waitSecondsUsual,
      agentWaitSecondsMax
    )
    const until = call.now() + seconds * 1_000
    const { commandId, durationMs } = done
    const { ideId, agentType } = given
    let since = answer["version"]
    for (let looks = 1; ; looks++) {
      const timeoutSeconds = Math.max(1, Math.ceil((until - call.now()) / 1_000))
      const looked = await callOperation(call, "shortcuts.status", {
        ...{ ideId, agentType, since, timeoutSeconds },
        waitFor: "change"
      })
      const value = valueOf(call, looked)
      // the answer was given: that the token may not look on is no refusal of the whole call
      if (looked.status >= 400 || value === undefined) return toolResult({ ...call, lacks: () => {} }, looked)
      const { status, version, activeModal } = value
      const now = { success: true, status, version, commandId, durationMs }
      const isOther = isRecord(activeModal) && promptOf(activeModal) !== promptOf(modal)
      if (waitsForApproval(value) && isOther) return ask(call, given, { ...now, activeModal })
      if (status === "idle" || status === "error") return resultWith(now)
      const isOver = version === since || call.now() >= until || looks === looksAfterApprovalMax
      if (isOver) return resultWith({ ...now, timedOut: true })
      since = version
    }
  }

  /** What the answer to the question leads to. */
  const resume = async (
    call: McpCall,
    given: Arguments,
    text: string,
    responses: Readonly<Record<string, unknown>> | undefined
  ): Promise<ToolOutcome> => {
    const state = open(call, given, text)
    const response = responses?.[questionName]
    const action = isRecord(response) ? response["action"] : undefined
    if (action === "decline" || action === "cancel") return resultWith({ ...state.answer, activeModal: state.modal })
    const content = isRecord(response) && isRecord(response["content"]) ? response["content"] : {}
    const choice = promptActions.find((one) => one === content["choice"])
    if (action !== "accept" || choice === undefined)
      return ask(call, given, { ...state.answer, activeModal: state.modal })
    const { ideId, agentType } = given
    const promptId = promptOf(state.modal)
    const answer = await callOperation(call, "shortcuts.approve", { ideId, agentType, action: choice, promptId })
    const value = valueOf(call, answer)
    if (answer.status >= 400 || value === undefined || value["success"] !== true) return toolResult(call, answer)
    return follow(call, given, state, value)
  }

  return { ask, resume }
}
