/**
 * An agent's questions before it acts. Owns the pending questions, first come first shown, and the option that an
 * answer means; knows no process and no hub.
 */

import { randomUUID } from "node:crypto"
import type { RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk"
import { cutToChars } from "../src/domain/text/truncate.ts"
import { questionCharactersMax, questionsMax } from "./limits.ts"
import type { Modal } from "./wire.ts"

/** What the owner may answer. */
export type Action = "approve" | "reject" | "always"

const wanted = {
  approve: ["allow_once", "allow_always"],
  reject: ["reject_once", "reject_always"],
  always: ["allow_always"]
} as const satisfies Record<Action, ReadonlyArray<string>>

const cancelled: RequestPermissionResponse = { outcome: { outcome: "cancelled" } }

/**
 * The option an action means: the mildest of its kind, for `always` the lasting one alone. Undefined when the agent
 * offers none.
 */
const optionFor = (asked: RequestPermissionRequest, action: Action): string | undefined =>
  wanted[action].flatMap((kind) => asked.options.filter((option) => option.kind === kind)).at(0)?.optionId

interface Waiting {
  readonly promptId: string
  readonly asked: RequestPermissionRequest
  readonly answer: (response: RequestPermissionResponse, action: Action | "cancelled") => void
}

/** What is told of a question. */
export interface QuestionCallbacks {
  /** Another question is shown now, or none. */
  readonly shown: (modal: Modal | undefined) => void
  /** One was answered, or withdrawn. */
  readonly resolved: (promptId: string, action: Action | "cancelled") => void
}

/** What became of an answer: taken; no question waits or has such an option; another question waits by now. */
export type Resolved = "resolved" | "nothing" | "changed"

/** The questions of one agent. */
export class Questions {
  readonly #callbacks: QuestionCallbacks
  readonly #waiting: Array<Waiting> = []

  constructor(callbacks: QuestionCallbacks) {
    this.#callbacks = callbacks
  }

  /** Takes a question; resolves with its answer. Withdrawn by the agent, or one too many: cancelled. */
  ask(asked: RequestPermissionRequest, withdrawn: AbortSignal): Promise<RequestPermissionResponse> {
    if (this.#waiting.length >= questionsMax || withdrawn.aborted) return Promise.resolve(cancelled)
    return new Promise((resolve) => {
      const entry: Waiting = {
        promptId: `prm_${randomUUID()}`,
        asked,
        answer: (response, action) => {
          const at = this.#waiting.indexOf(entry)
          if (at < 0) return
          this.#waiting.splice(at, 1)
          resolve(response)
          if (at > 0) return // It was never shown.
          this.#callbacks.resolved(entry.promptId, action)
          this.#callbacks.shown(this.shown)
        }
      }
      withdrawn.addEventListener("abort", () => entry.answer(cancelled, "cancelled"), { once: true })
      this.#waiting.push(entry)
      if (this.#waiting.length === 1) this.#callbacks.shown(this.shown)
    })
  }

  /** The question that is shown now. */
  get shown(): Modal | undefined {
    const first = this.#waiting[0]
    if (first === undefined) return undefined
    const { toolCall, options } = first.asked
    const message = cutToChars(toolCall.title ?? "The agent asks for permission", questionCharactersMax)
    const buttons = options.map((option) => cutToChars(option.name, questionCharactersMax))
    return { promptId: first.promptId, message, buttons }
  }

  /** Answers the question that is shown, where it is the one that is meant. A rejection always goes. */
  resolve(action: Action, promptId?: string): Resolved {
    const first = this.#waiting[0]
    if (first === undefined) return "nothing"
    if (promptId !== undefined && promptId !== first.promptId) return "changed"
    const optionId = optionFor(first.asked, action)
    if (optionId === undefined && action !== "reject") return "nothing"
    first.answer(optionId === undefined ? cancelled : { outcome: { outcome: "selected", optionId } }, action)
    return "resolved"
  }

  /** Cancels all of them. */
  cancel(): void {
    // The last first, so that none is shown that is cancelled at once.
    for (const entry of [...this.#waiting].reverse()) entry.answer(cancelled, "cancelled")
  }
}
