/** A request as the log of its account keeps it. Owns the shape, and which statuses a filter means; keeps nothing. */

/** One request. It holds no body, no query and no header. */
export interface LoggedRequest {
  readonly id: string
  readonly accountId: string
  /** When it was answered, epoch milliseconds. */
  readonly at: number
  /** Undefined: a dashboard session. */
  readonly keyId: string | undefined
  /** The person or the service account behind the credential. */
  readonly ownerId: string | undefined
  readonly requestId: string
  readonly method: string
  /** `daemons.list` */
  readonly operation: string
  /** `/api/v1/daemons/{daemonId}/status` */
  readonly route: string
  readonly path: string
  /** Undefined: the caller left before the answer. */
  readonly status: number | undefined
  readonly reason: string | undefined
  readonly code: string | undefined
  readonly durationMicros: number
  /** Requests of the account that were answered since the write before and are not kept. */
  readonly omitted: number
}

/** How statuses are asked for: one, a class, or the requests that were not answered. */
export const statusFilterShape = /^(?:[1-5]\d\d|[1-5]xx|none)$/u

/** The statuses that are asked for, and a reason that does not count; "none" for requests without a status. */
export type StatusRange = { readonly from: number; readonly to: number; readonly but?: string } | "none"

/** What a text of that shape means. */
export const statusRangeOf = (text: string): StatusRange => {
  if (text === "none") return "none"
  const from = Number(text.replace("xx", "00"))
  if (!text.endsWith("xx")) return { from, to: from }
  // published as a 500, and no fault of the hub
  return { from, to: from + 99, ...(from === 500 && { but: "DAEMON_OFFLINE" }) }
}
