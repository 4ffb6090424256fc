/**
 * Ids for the prompts of daemons that give none, so that an approval can be bound to what was seen, and when each was
 * asked. Owns their form and when a prompt is another: a daemon never sees them. Pure.
 */
import { hash } from "node:crypto"
import type { ActiveModal, SessionReport } from "../../protocol/frames.ts"

const prefix = "hub-"
const digestChars = 22

/** Whether the hub gave an id. */
export const isHubPrompt = (promptId: string): boolean => promptId.startsWith(prefix)

const lacks = ({ activeModal }: SessionReport): boolean =>
  activeModal !== undefined && (activeModal.promptId === undefined || activeModal.askedAt === undefined)

const idOf = (sessionId: string, { message, buttons }: ActiveModal, now: number): string =>
  prefix + hash("sha256", JSON.stringify([sessionId, message, buttons, now]), "base64url").slice(0, digestChars)

const isSame = (one: ActiveModal, other: ActiveModal): boolean =>
  one.message === other.message && JSON.stringify(one.buttons) === JSON.stringify(other.buttons)

/**
 * The sessions of a report, each prompt with an id. One without an id is the prompt before where the last report had
 * the same words; two questions of the same words with a report between them are two.
 */
export const withPromptIds = (
  before: ReadonlyArray<SessionReport>,
  sessions: ReadonlyArray<SessionReport>,
  now: number
): ReadonlyArray<SessionReport> => {
  if (!sessions.some(lacks)) return sessions
  const earlier = new Map(before.map(({ id, activeModal }) => [id, activeModal]))
  return sessions.map((session) => {
    const { id, activeModal } = session
    if (activeModal === undefined || !lacks(session)) return session
    const last = earlier.get(id)
    const isKnown =
      activeModal.promptId === undefined
        ? last?.promptId !== undefined && isHubPrompt(last.promptId) && isSame(last, activeModal)
        : last?.promptId === activeModal.promptId
    const { promptId, askedAt } = isKnown ? last! : { promptId: idOf(id, activeModal, now), askedAt: now }
    return {
      ...session,
      activeModal: { promptId: promptId!, ...activeModal, askedAt: activeModal.askedAt ?? askedAt ?? now }
    }
  })
}
