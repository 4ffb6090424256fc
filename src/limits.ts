/**
 * Every bound that protects the hub itself: unit last, with what happens at the bound. Larger subjects have a file of
 * their own in limits/ and are re-exported here. The relations between bounds are asserted when this file loads.
 */
import assert from "node:assert/strict"
import { nativeIdleSecondsMax } from "./limits/edge.ts"
import { rulesBytesMax } from "./limits/policies.ts"
import {
  accountFrameBurstSeconds,
  accountFrameBytesPerSecond,
  frameOverheadBytes,
  reportBurstSeconds,
  reportBytesPerSecond
} from "./limits/reports.ts"

/** A JSON request body; more: 413. */
export const bodyBytesMax = 1_048_576
/** A frame before `auth_ok`; more: close 4400. */
export const authFrameBytesMax = 262_144
/** How long a socket may take to authenticate; later: close 4408. */
export const authMillisMax = 10_000
/** A frame from a daemon; more: close 4400. */
export const daemonFrameBytesMax = 1_048_576
/** A `command_result` frame; more: its command fails. */
export const resultFrameBytesMax = 8_388_608
/** What a socket takes at all: room above the largest frame, so that a frame a little too large is judged. */
export const nativeFrameBytesMax = 8_454_144
/** A frame to a daemon; more: the caller gets 413. */
export const hubFrameBytesMax = 2_097_152
/** What waits for a daemon to read it; more: close 4413. */
export const outboxBytesMax = 4_194_304
/**
 * Of that, what commands leave to the frames that cannot be refused; a command that finds no other room: 503
 * OVERLOADED.
 */
export const outboxReserveBytes = 65_536
/** From a command that found no room on, it is looked this often whether the daemon takes what waits. */
export const readingLookMillis = 5_000
/** Checks in a row at which it had read nothing; then: close 4413. */
export const idleLooksMax = 3
/** Commands that wait for one daemon; more: 503 OVERLOADED. */
export const pendingCommandsMax = 64
/** Frames of a daemon in 10 s, results of pending commands apart; more: close 4429. */
export const framesPer10sMax = 100
/** Bytes of those frames in 10 s; more: close 4429. */
export const frameBytesPer10sMax = 8_388_608
/** The hub pings this often. */
export const pingMillis = 25_000
/** Silence after which a connection is lost. */
export const silenceMillisMax = 60_000
/** How often a daemon reports without a change. */
export const reportMillis = 30_000
/** Chat text of one message; more: 413. */
export const chatTextBytesMax = 262_144
/** A terminal command; more: 400. */
export const terminalCommandBytesMax = 32_768
/** Terminal output passed on, both streams together; more is cut and `truncated` set. */
export const terminalOutputBytesMax = 1_048_576
/** A debug bundle, bundle and text together; more is cut and `truncated` set. */
export const debugBundleBytesMax = 1_048_576
/** A caller's `frontendSnapshot`; more: 413. */
export const frontendSnapshotBytesMax = 262_144

assert(hubFrameBytesMax < outboxBytesMax - outboxReserveBytes, "a command must always fit an empty outbox")
assert(idleLooksMax * readingLookMillis < silenceMillisMax, "who waits for one that does not read must hear it soon")
assert(nativeFrameBytesMax > resultFrameBytesMax, "a frame a little too large must be seen to be refused")
assert(bodyBytesMax < hubFrameBytesMax, "a body must always fit a frame")
assert(nativeIdleSecondsMax * 1_000 > silenceMillisMax, "our own rule of silence must come first")
assert(rulesBytesMax * 2 < hubFrameBytesMax, "all rules of an account must fit a frame")
assert(pingMillis * 2 < silenceMillisMax, "a lost pong must not end a connection")
assert(
  reportBytesPerSecond * reportBurstSeconds > daemonFrameBytesMax + frameOverheadBytes,
  "the largest report must have its turn"
)
assert(
  accountFrameBytesPerSecond * accountFrameBurstSeconds > frameBytesPer10sMax + framesPer10sMax * frameOverheadBytes,
  "a daemon that is alone meets its own budget first"
)

export * from "./limits/actors.ts"
export * from "./limits/admin.ts"
export * from "./limits/commands.ts"
export * from "./limits/cost.ts"
export * from "./limits/daemon-api.ts"
export * from "./limits/delivery.ts"
export * from "./limits/device-codes.ts"
export * from "./limits/edge.ts"
export * from "./limits/gate.ts"
export * from "./limits/jobs.ts"
export * from "./limits/join-keys.ts"
export * from "./limits/large.ts"
export * from "./limits/registry.ts"
export * from "./limits/reports.ts"
export * from "./limits/request-log.ts"
export * from "./limits/store.ts"
export * from "./limits/tags.ts"
export * from "./limits/turn.ts"
export * from "./limits/volumes.ts"
export * from "./limits/workers.ts"
