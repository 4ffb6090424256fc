/**
 * What an agent asks before it acts: decided by policies where they say so, else asked. Owns what is known of the tool
 * calls that its questions are about; questions.ts owns those that wait.
 */
import { randomUUID } from "node:crypto"
import type { RequestPermissionRequest, RequestPermissionResponse, SessionUpdate } from "@agentclientprotocol/sdk"
import type { NamedRule } from "../src/domain/policy/policy.ts"
import { type AskedTool, subjectsOf } from "../src/domain/policy/tool-call.ts"
import { cutToChars } from "../src/domain/text/truncate.ts"
import type { Clock } from "./clock.ts"
import { questionCharactersMax, toolCallsMax } from "./limits.ts"
import type { Policies } from "./policies.ts"
import { type Action, type Answerer, cancelled, optionFor, Questions, type Resolved, selected } from "./questions.ts"
import type { Modal } from "./wire.ts"

/** How a question ended. */
export interface Decided {
  readonly promptId: string
  readonly action: Action | "cancelled"
  /** `policy`: decided here, by a rule, the default, or as no answer came in time. Else who answered, if known. */
  readonly by?: string
  /** The rule, where there was one. */
  readonly rule?: string
  /** What was asked, where it was never shown; else what was said with the answer. */
  readonly message?: string
  /** It was never shown. */
  readonly unseen?: true
}

/** What permissions work with. */
export interface PermissionMeans {
  readonly policies: Policies
  readonly clock: Clock
  readonly provider: string
  readonly cwd: string
  readonly shown: (modal: Modal | undefined) => void
  readonly decided: (decided: Decided) => void
}

/** What is said; null and undefined say nothing. */
const said = (members: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined))

/** The permissions of one agent. */
export class Permissions {
  readonly #means: PermissionMeans
  readonly #questions: Questions
  readonly #calls = new Map<string, AskedTool>()

  constructor(means: PermissionMeans) {
    this.#means = means
    this.#questions = new Questions({
      clock: means.clock,
      shown: means.shown,
      resolved: ({ promptId, action, isTimeout, by = isTimeout ? "policy" : undefined, words }) =>
        means.decided({ promptId, action, ...(by && { by }), ...(words && { message: words }) })
    })
  }

  /** What the agent tells of its tool calls: a question may name no more of one than its id. */
  heard(update: SessionUpdate): void {
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") this.#known(update)
  }

  #known(told: { readonly toolCallId: string }): AskedTool {
    const { toolCallId } = told
    const call = { ...this.#calls.get(toolCallId), ...said(told) }
    this.#calls.delete(toolCallId)
    this.#calls.set(toolCallId, call)
    if (this.#calls.size > toolCallsMax) this.#calls.delete(this.#calls.keys().next().value!)
    return call
  }

  /** Takes a question; resolves with its answer. */
  ask(asked: RequestPermissionRequest, withdrawn: AbortSignal): Promise<RequestPermissionResponse> {
    const { policies, provider, cwd } = this.#means
    const call = this.#known(asked.toolCall)
    const whole = {
      ...asked,
      toolCall: { ...asked.toolCall, ...(typeof call.title === "string" && { title: call.title }) }
    }
    const { effect, rule } = policies.decide(call, { provider, cwd })
    const answer = effect === "ask" ? undefined : this.#answer(whole, effect === "allow" ? "approve" : "reject", rule)
    if (answer !== undefined) return Promise.resolve(answer)
    const [subject] = subjectsOf(call)
    const { action, resource = "" } = subject!
    return this.#questions.ask(whole, withdrawn, { subject: { action, resource }, deadline: policies.deadline })
  }

  /** The answer by a policy; undefined: the agent offers none that allows. */
  #answer(asked: RequestPermissionRequest, action: "approve" | "reject", rule: NamedRule | undefined) {
    const optionId = optionFor(asked, action)
    if (optionId === undefined && action === "approve") return undefined
    this.#means.decided({
      promptId: `prm_${randomUUID()}`,
      action,
      by: "policy",
      ...(rule !== undefined && { rule: rule.rule }),
      message: cutToChars(asked.toolCall.title ?? "", questionCharactersMax),
      unseen: true
    })
    return optionId === undefined ? cancelled : selected(optionId)
  }

  /** The question that is shown now. */
  get shown(): Modal | undefined {
    return this.#questions.shown
  }

  /** Answers the question that is shown, where it is the one that is meant. */
  resolve(action: Action | { readonly optionId: string }, promptId?: string, who?: Answerer): Resolved {
    return this.#questions.resolve(action, promptId, who)
  }

  /** Cancels all that wait. */
  cancel(): void {
    this.#questions.cancel()
  }
}
