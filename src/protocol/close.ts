/**
 * How a daemon's socket ends: every code with its name and what the daemon does next. Owns the numbers; closes nothing.
 */
import { crc32 } from "node:zlib"
import { disabledAwayMillisMin, disabledSpreadMillis } from "../limits/sockets.ts"

/**
 * `never`: stay away. `slot`: at the time given in `reconnect`, else like `backoff` (full jitter, 1 s doubling to 60
 * s).
 */
export type ReconnectRule = "never" | "backoff" | "slot"

export interface CloseRule {
  readonly code: number
  /** Sent as the reason of the close frame. */
  readonly name: string
  readonly reconnect: ReconnectRule
}

/** Every ending of the protocol. */
export const close = {
  closed: { code: 1000, name: "closed", reconnect: "backoff" },
  goingAway: { code: 1001, name: "going away", reconnect: "backoff" },
  restarting: { code: 1012, name: "restarting", reconnect: "slot" },
  frameInvalid: { code: 4400, name: "frame invalid", reconnect: "backoff" },
  tokenUnknown: { code: 4401, name: "token unknown", reconnect: "never" },
  tokenRevoked: { code: 4403, name: "token revoked", reconnect: "never" },
  disconnected: { code: 4404, name: "disconnected by its owner", reconnect: "backoff" },
  authLate: { code: 4408, name: "authenticated too late", reconnect: "backoff" },
  replaced: { code: 4409, name: "replaced by a newer connection", reconnect: "never" },
  notReading: { code: 4413, name: "not reading", reconnect: "backoff" },
  accountDisabled: { code: 4423, name: "account disabled", reconnect: "backoff" },
  tooFast: { code: 4429, name: "sending too fast", reconnect: "backoff" },
  crashed: { code: 4500, name: "the actor crashed", reconnect: "backoff" },
  tooMany: { code: 4503, name: "too many new connections", reconnect: "backoff" }
} as const satisfies Record<string, CloseRule>

/**
 * How long a daemon of a disabled account keeps away at least: by its id, so that those of one account come back
 * spread, in milliseconds.
 */
export const disabledAwayMillis = (daemonId: string): number =>
  disabledAwayMillisMin + (crc32(daemonId) % disabledSpreadMillis)

/** The end of a connection whose account is disabled; its reason says how long to keep away. */
export const disabledClose = (daemonId: string): CloseRule => ({
  ...close.accountDisabled,
  name: JSON.stringify({ afterMs: disabledAwayMillis(daemonId) })
})

/** The code of a connection that was cut off, without a close frame (RFC 6455). */
export const abnormalClosure = 1006

/** What a daemon does after a code; a code that is not ours (1006, 1011) is an accident: backoff. */
export const reconnectAfter = (code: number): ReconnectRule =>
  Object.values(close).find((rule) => rule.code === code)?.reconnect ?? "backoff"

/** Whether a daemon that closed with this code meant to leave. */
export const isCleanClose = (code: number): boolean => code === close.closed.code || code === close.goingAway.code
