/** The bounds of traces. */
import assert from "node:assert/strict"

/** Spans that wait for the receiver; more are dropped and counted. */
export const spansWaitingMax = 8_192
/** Spans of one request to it. */
export const spansPerRequestMax = 512
/** How often spans are sent; as many requests in a row as there is to send. */
export const spansSentMillis = 2_000
/** How long a request to it may take; then its spans are dropped and counted. */
export const spansRequestMillisMax = 10_000
/** How long a node that ends tries to send what waits. */
export const spansFlushMillisMax = 2_000
/** A `tracestate`; a longer one is not passed on. */
export const traceStateCharsMax = 512
/** Attributes of the resource; further ones are left out. */
export const resourceAttributesMax = 64

assert(spansPerRequestMax <= spansWaitingMax, "what one request takes must be able to wait")
