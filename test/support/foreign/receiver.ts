/** Odd receivers of webhooks, each named by a word. Owns how each answers, for a receiver of webhook-receiver.ts. */
import type { Reaction, Received } from "../webhook-receiver.ts"

/** `refuses <event> with <status>`: one kind of event is not wanted, everything else is taken. */
export type ReceiverOddity = `refuses ${string} with ${number}`

/** How such a receiver answers. */
export const reactionOf = (oddity: ReceiverOddity): ((received: Received) => Reaction) => {
  const [, event, status] = /^refuses (\S+) with (\d+)$/u.exec(oddity)!
  return ({ headers }) => (headers["x-service-event"] === event ? Number(status) : 200)
}
