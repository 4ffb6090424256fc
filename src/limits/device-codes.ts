/** Bounds of the authorization of devices. Unit last, with what happens at the bound. */
import assert from "node:assert/strict"

/** How long a device and its person have; later: EXPIRED_TOKEN. */
export const deviceCodeMillis = 600_000
/** How long a device waits between two polls at first, in seconds; sooner: SLOW_DOWN, and longer from then on. */
export const devicePollSeconds = 5
/** By how much longer, in seconds. */
export const deviceSlowDownSeconds = 5
/** And no longer than this, in seconds. */
export const devicePollSecondsMax = 60
/** Authorizations that are under way on a hub; one more: 503 OVERLOADED. */
export const deviceCodesMax = 20_000
/** Of those, that one address began; one more: 503 OVERLOADED. */
export const deviceCodesPerAddressMax = 200
/** When that is worth another try, in seconds. */
export const deviceCodesRetrySeconds = 60
/** The name of a device in characters; longer: 400. */
export const deviceNameCharsMax = 100
/** Codes made for one device until one is not in use; then: 503 OVERLOADED. */
export const userCodeTriesMax = 3

assert(deviceCodesPerAddressMax < deviceCodesMax, "one address must not shut out all others")
assert(devicePollSeconds <= devicePollSecondsMax, "a device may always poll as it is told at first")
assert(devicePollSecondsMax * 1_000 < deviceCodeMillis, "a device that was slowed down must still hear of its end")
/** How long after it left a machine is removed that joined by the key of a device. */
export const demonstrationMinutes = 1
