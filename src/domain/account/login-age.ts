/**
 * Whether a dashboard login is recent. Owns the rule: `auth_time` decides, never when a token was issued; a missing one
 * is stale. Knows no clock and no token.
 */

/** How far ahead the clock of a token's issuer may be. It makes no login count as recent for longer. */
export const clockSkewSeconds = 60

/** The verdict; `authAge` in whole seconds, when known. */
export interface Recency {
  readonly recent: boolean
  readonly authAge?: number
}

/** Judges a login made at `authTime` (epoch seconds). One from the future beyond the skew is not believed. */
export const judgeRecency = (authTime: number | undefined, nowMillis: number, maxAgeSeconds: number): Recency => {
  if (authTime === undefined || !Number.isFinite(authTime)) return { recent: false }
  const age = Math.floor(nowMillis / 1_000) - authTime
  return { recent: age >= -clockSkewSeconds && age <= maxAgeSeconds, authAge: Math.max(0, age) }
}
