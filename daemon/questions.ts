/**
 * An agent's questions before it acts. Owns the pending questions, first come first shown, and the option that an
 * answer means; knows no process and no hub.
 */
import type { RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk"
import { questionCharactersMax, questionsMax } from "./limits.ts"

/** What the owner may answer. */
export type Action = "approve" | "reject" | "always"

const wanted = {
  approve: ["allow_once", "allow_always"],
  reject: ["reject_once", "reject_always"],
  always: ["allow_always", "allow_once"]
} as const satisfies Record<Action, ReadonlyArray<string>>

const cancelled: RequestPermissionResponse = { outcome: { outcome: "cancelled" } }

/**
 * The option an action means: the mildest of its kind, for `always` the lasting one if there is one. Undefined when the
 * agent offers none.
 */
export const optionFor = (asked: RequestPermissionRequest, action: Action): string | undefined =>
  wanted[action].flatMap((kind) => asked.options.filter((option) => option.kind === kind)).at(0)?.optionId

interface Waiting {
  readonly asked: RequestPermissionRequest
  readonly answer: (response: RequestPermissionResponse) => void
}

/** The questions of one agent. */
export class Questions {
  readonly #waiting: Array<Waiting> = []

  /** Takes a question; resolves with its answer. Withdrawn by the agent, or one too many: cancelled. */
  ask(
    asked: RequestPermissionRequest,
    withdrawn: AbortSignal,
    changed: () => void
  ): Promise<RequestPermissionResponse> {
    if (this.#waiting.length >= questionsMax || withdrawn.aborted) return Promise.resolve(cancelled)
    return new Promise((resolve) => {
      const entry: Waiting = {
        asked,
        answer: (response) => {
          const at = this.#waiting.indexOf(entry)
          if (at < 0) return
          this.#waiting.splice(at, 1)
          resolve(response)
          changed()
        }
      }
      withdrawn.addEventListener("abort", () => entry.answer(cancelled), { once: true })
      this.#waiting.push(entry)
      changed()
    })
  }

  /** The question that is shown now. */
  get shown(): { readonly message: string; readonly buttons: ReadonlyArray<string> } | undefined {
    const first = this.#waiting[0]?.asked
    if (first === undefined) return undefined
    const message = (first.toolCall.title ?? "The agent asks for permission").slice(0, questionCharactersMax)
    return { message, buttons: first.options.map((option) => option.name.slice(0, questionCharactersMax)) }
  }

  /** Answers the question that is shown. False when none is, or it has no such option. A rejection always goes. */
  resolve(action: Action): boolean {
    const first = this.#waiting[0]
    if (first === undefined) return false
    const optionId = optionFor(first.asked, action)
    if (optionId === undefined && action !== "reject") return false
    first.answer(optionId === undefined ? cancelled : { outcome: { outcome: "selected", optionId } })
    return true
  }

  /** Cancels all of them. */
  cancel(): void {
    for (const entry of [...this.#waiting]) entry.answer(cancelled)
  }
}
