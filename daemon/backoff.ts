/** When to come back after a close. Owns the table of close codes as a daemon reads it; keeps no time. */
import { awayMillisMax, backoffFirstMillis, backoffLastMillis } from "./limits.ts"

/** Why a daemon stays away whose token the hub does not know (any more). */
export const unknownToken = "the hub does not know this token; enrol this machine and start again with the new token"

/** Codes after which a daemon stays away, and what its owner can do. */
const final: Readonly<Record<number, string>> = {
  4401: unknownToken,
  4403: "this token was revoked; run the set-up again for a new one",
  4409: "another daemon has connected with this token and takes over; stop one of the two"
}

/** The same where it is said instead of an upgrade. By the reason alone: a proxy in between answers 401 and 403 too. */
const finalReasons: Readonly<Record<string, string>> = { AUTH_INVALID: final[4401]!, TOKEN_REVOKED: final[4403]! }

/** Why to stay away after a close with this code; undefined: come back, also after a code this daemon does not know. */
export const afterClose = (code: number): string | undefined => (Object.hasOwn(final, code) ? final[code] : undefined)

/** Why to stay away after a refusal with this reason; undefined: come back. */
export const afterProblem = (reason: string): string | undefined =>
  Object.hasOwn(finalReasons, reason) ? finalReasons[reason] : undefined

/** Full jitter: anything from 0 to the step, which doubles from 1 s to 60 s. `attempt` counts from 0. */
export const backoffMillis = (attempt: number, random: () => number): number =>
  Math.floor(random() * Math.min(backoffLastMillis, backoffFirstMillis * 2 ** Math.min(attempt, 30)))

/** How long the hub asks us to stay away at least, from the reason of a 4503 or a 4423; 0 when it does not say. */
export const atLeastMillis = (code: number, reason: string): number => {
  if (code !== crowdedCode && code !== disabledCode) return 0
  try {
    const { afterMs } = JSON.parse(reason) as { readonly afterMs?: unknown }
    return typeof afterMs === "number" && afterMs > 0 ? Math.min(afterMs, awayMillisMax) : 0
  } catch {
    return 0
  }
}

const crowdedCode = 4503
/** Its account is disabled, and may be enabled again. */
const disabledCode = 4423
