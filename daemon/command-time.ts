/** How long a command may take on this machine. Owns the rule; keeps no time. */
import { answerMillis, durableMillisMax, secondMillis } from "./limits.ts"
import type { Command } from "./wire.ts"

/**
 * The caller's time, exactly, as far as our answer arrives while the hub still waits, and `most` of a call that waits.
 * Nothing waits for the answer of a durable one.
 */
export const commandMillis = (
  { deadlineMs, waitMs = deadlineMs, durable }: Pick<Command, "deadlineMs" | "waitMs" | "durable">,
  most: number
): number => {
  if (durable) return Math.min(durableMillisMax, deadlineMs)
  const answered = Math.max(waitMs - answerMillis, secondMillis)
  return Math.min(most, deadlineMs, answered)
}
