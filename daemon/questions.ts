/**
 * An agent's questions that wait for a person. Owns the pending questions, first come first shown, the option that an
 * answer means, and what becomes of one that is not answered in time; knows no process and no hub.
 */

import { randomUUID } from "node:crypto"
import type { RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk"
import { cutToChars } from "../src/domain/text/truncate.ts"
import type { Clock } from "./clock.ts"
import { optionsShownMax, questionCharactersMax, questionsMax, subjectCharactersMax } from "./limits.ts"
import type { Modal } from "./wire.ts"

/** What the owner may answer. */
export type Action = "approve" | "reject" | "always"

const wanted = {
  approve: ["allow_once", "allow_always"],
  reject: ["reject_once", "reject_always"],
  always: ["allow_always"]
} as const satisfies Record<Action, ReadonlyArray<string>>

/** The answer without an option: the turn was given up, or no option says no. */
export const cancelled: RequestPermissionResponse = { outcome: { outcome: "cancelled" } }

/** The answer that takes an option. */
export const selected = (optionId: string): RequestPermissionResponse => ({
  outcome: { outcome: "selected", optionId }
})

/**
 * The option an action means: the mildest of its kind, for `always` the lasting one alone. Undefined when the agent
 * offers none.
 */
export const optionFor = (asked: RequestPermissionRequest, action: Action): string | undefined =>
  wanted[action].flatMap((kind) => asked.options.filter((option) => option.kind === kind)).at(0)?.optionId

/** What an option does, as an action. */
const actionOf = (kind: string): Action =>
  kind === "allow_always" ? "always" : kind.startsWith("allow") ? "approve" : "reject"

/** How a question ended. `isTimeout`: no answer came in time. */
export interface Resolution {
  readonly promptId: string
  readonly action: Action | "cancelled"
  readonly isTimeout: boolean
  /** Who answered, and what they said, as the hub names it. */
  readonly by?: string | undefined
  readonly words?: string | undefined
}

/** Who answers, and what they say with it. */
export type Answerer = Pick<Resolution, "by" | "words">

/** What a question is about, and how long it waits. */
export interface Asked {
  readonly subject?: Modal["subject"]
  /** Undefined: without an end. */
  readonly deadline?: { readonly millis: number; readonly reject: boolean } | undefined
}

interface Waiting extends Asked {
  readonly promptId: string
  readonly asked: RequestPermissionRequest
  readonly at: number
  expiresAt: number | undefined
  cancelTimer: () => void
  readonly answer: (response: RequestPermissionResponse, how: Omit<Resolution, "promptId">) => void
}

/** What is told of a question. */
export interface QuestionCallbacks {
  readonly clock: Pick<Clock, "now" | "after">
  /** Another question is shown now, or none. */
  readonly shown: (modal: Modal | undefined) => void
  /** One that was shown was answered, or withdrawn. */
  readonly resolved: (resolution: Resolution) => void
}

/** What became of an answer: taken; no question waits or has such an option; another question waits by now. */
export type Resolved = "resolved" | "nothing" | "changed"

const modalOf = ({ asked, promptId, at, expiresAt, subject }: Waiting): Modal => {
  const { toolCall, options } = asked
  const cut = (text: string) => cutToChars(text, questionCharactersMax)
  return {
    promptId,
    message: cut(toolCall.title ?? "The agent asks for permission"),
    buttons: options.map((option) => cut(option.name)),
    askedAt: at,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(subject !== undefined && {
      subject: { ...subject, resource: cutToChars(subject.resource, subjectCharactersMax) }
    }),
    options: options.slice(0, optionsShownMax).map(({ optionId, name, kind }) => ({ optionId, name: cut(name), kind }))
  }
}

/** The questions of one agent. */
export class Questions {
  readonly #callbacks: QuestionCallbacks
  readonly #waiting: Array<Waiting> = []

  constructor(callbacks: QuestionCallbacks) {
    this.#callbacks = callbacks
  }

  /**
   * Takes a question; resolves with its answer, which is `cancelled` only where the agent withdrew it or its turn is
   * over. One too many fails, which the SDK answers as an internal error with these details.
   */
  ask(asked: RequestPermissionRequest, withdrawn: AbortSignal, about: Asked = {}): Promise<RequestPermissionResponse> {
    if (withdrawn.aborted) return Promise.resolve(cancelled)
    if (this.#waiting.length >= questionsMax) return Promise.reject(new Error(`${questionsMax} questions wait already`))
    return new Promise((resolve) => {
      const entry: Waiting = {
        ...about,
        promptId: `prm_${randomUUID()}`,
        asked,
        at: this.#callbacks.clock.now(),
        expiresAt: undefined,
        cancelTimer: () => undefined,
        answer: (response, how) => {
          const at = this.#waiting.indexOf(entry)
          if (at < 0) return
          entry.cancelTimer()
          this.#waiting.splice(at, 1)
          resolve(response)
          if (at > 0) return // It was never shown.
          this.#callbacks.resolved({ promptId: entry.promptId, ...how })
          this.#show()
        }
      }
      withdrawn.addEventListener("abort", () => entry.answer(cancelled, { action: "cancelled", isTimeout: false }), {
        once: true
      })
      this.#waiting.push(entry)
      if (this.#waiting.length === 1) this.#show()
    })
  }

  /** Its time begins when it is shown: what waits behind others could not be answered before. */
  #show(): void {
    const first = this.#waiting[0]
    if (first?.deadline?.reject === true && first.expiresAt === undefined) {
      const { clock } = this.#callbacks
      first.expiresAt = clock.now() + first.deadline.millis
      first.cancelTimer = clock.after(first.deadline.millis, () => this.#reject(first, true))
    }
    this.#callbacks.shown(this.shown)
  }

  #reject(entry: Waiting, isTimeout: boolean, who: Answerer = {}): void {
    const optionId = optionFor(entry.asked, "reject")
    entry.answer(optionId === undefined ? cancelled : selected(optionId), { action: "reject", isTimeout, ...who })
  }

  /** The question that is shown now. */
  get shown(): Modal | undefined {
    const first = this.#waiting[0]
    return first === undefined ? undefined : modalOf(first)
  }

  /** Answers the question that is shown, where it is the one that is meant. A rejection always goes. */
  resolve(action: Action | { readonly optionId: string }, promptId?: string, who: Answerer = {}): Resolved {
    const first = this.#waiting[0]
    if (first === undefined) return "nothing"
    if (promptId !== undefined && promptId !== first.promptId) return "changed"
    if (action === "reject") {
      this.#reject(first, false, who)
      return "resolved"
    }
    const wantedId = typeof action === "string" ? optionFor(first.asked, action) : action.optionId
    const option = first.asked.options.find(({ optionId }) => optionId === wantedId)
    if (option === undefined) return "nothing"
    const how = { action: typeof action === "string" ? action : actionOf(option.kind), isTimeout: false, ...who }
    first.answer(selected(option.optionId), how)
    return "resolved"
  }

  /** Cancels all of them. */
  cancel(): void {
    // The last first, so that none is shown that is cancelled at once.
    for (const entry of [...this.#waiting].reverse()) entry.answer(cancelled, { action: "cancelled", isTimeout: false })
  }
}
