/** Bounds of the edge: exchanges, bodies in flight, streams, sockets. */
import assert from "node:assert/strict"

/** Bodies held for requests whose checks are not done yet, all callers together; more: 503 OVERLOADED. */
export const bodiesInFlightBytesMax = 268_435_456
/** A path and query together, in characters; more: 404. */
export const urlCharsMax = 8_192
/** Forwarded addresses read of one request, from the right; further ones are not looked at. */
export const forwardedHopsMax = 16
/** What waits for one stream's peer to read; more: the stream is cut off. */
export const streamBufferBytesMax = 1_048_576
/** Sockets on the wheel pinged in one turn of the event loop; the rest waits for the next. */
export const pingsPerTurnMax = 2_000
/** How often the wheel of pings turns. */
export const pingWheelMillis = 1_000
/** How long readiness waits for the store. */
export const readinessMillisMax = 2_000
/** How long a look at the store is believed. */
export const readinessLookMillis = 1_000
/** How long a caller waits before it comes back from an overload, in seconds. */
export const overloadRetrySeconds = 1

assert(readinessLookMillis < 5_000, "a balancer must see a lost store within seconds")
