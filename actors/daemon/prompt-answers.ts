/**
 * The answers to the questions of one connection's agents: of several who answer one question the first counts, from
 * whichever node they come. Owns which question was answered by whom; a daemon that names its questions sees to it too.
 */
import type { Answered } from "../../src/domain/approval/answered.ts"
import type { Answering } from "../../src/domain/command/command.ts"
import { answeredPromptsMax } from "../../src/limits/approvals.ts"
import type { SessionReport } from "../../src/protocol/frames.ts"

/** The codes of a refusal, which a daemon has the first of too. */
const promptChanged = "prompt_changed"
export const alreadyResolved = "already_resolved"

interface Claim {
  readonly answered: Answered
  /** The command that answers; undefined: none of the hub. */
  readonly commandId: string | undefined
  /** Until when its answer is waited for; it is done by then, or may be tried again. */
  readonly until: number
}

/** The answers of one connection. */
export class PromptAnswers {
  readonly #claims = new Map<string, Claim>()

  #shown(sessions: ReadonlyArray<SessionReport>, sessionId: string | undefined): string | undefined {
    return sessions.find(({ id }) => id === sessionId)?.activeModal?.promptId
  }

  /** Why this answer is not sent; undefined: it is the first of the question that waits. */
  refusal(sessions: ReadonlyArray<SessionReport>, { sessionId, promptId }: Answering, now: number) {
    if (promptId === undefined) return undefined
    const claim = this.#claims.get(promptId)
    if (claim !== undefined && claim.until > now)
      return { success: false, error: "It is answered already.", code: alreadyResolved, result: claim.answered }
    return this.#shown(sessions, sessionId) === promptId
      ? undefined
      : { success: false, error: "Another question waits by now.", code: promptChanged }
  }

  /** An answer is on its way. Without a prompt it is to whichever waits. */
  claim(sessions: ReadonlyArray<SessionReport>, answering: Answering, commandId: string, until: number): void {
    const { sessionId, promptId = this.#shown(sessions, sessionId), by, decision } = answering
    if (promptId !== undefined) this.#set(promptId, { answered: { by, decision }, commandId, until })
  }

  /** The daemon says that it decided this one. */
  decided(promptId: string, answered: Answered): void {
    this.#set(promptId, { answered, commandId: undefined, until: Number.POSITIVE_INFINITY })
  }

  /** What became of an answer: one that was refused leaves its question to the next. */
  settled(commandId: string, success: boolean): void {
    for (const [promptId, claim] of [...this.#claims]) {
      if (claim.commandId !== commandId) continue
      if (success) this.#set(promptId, { ...claim, until: Number.POSITIVE_INFINITY })
      else this.#claims.delete(promptId)
    }
  }

  /** It is asked: what is known of one of the same name was of another. */
  asked(promptId: string): void {
    this.#claims.delete(promptId)
  }

  /** Who answered a question that waits no more. */
  of(promptId: string): Answered {
    return this.#claims.get(promptId)?.answered ?? { by: { kind: "daemon" } }
  }

  #set(promptId: string, claim: Claim): void {
    this.#claims.delete(promptId)
    this.#claims.set(promptId, claim)
    if (this.#claims.size > answeredPromptsMax) this.#claims.delete(this.#claims.keys().next().value!)
  }
}
