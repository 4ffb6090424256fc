/** Bounds of push messages to browsers. Unit last, with what happens at the bound. */
import assert from "node:assert/strict"

/** Bytes of a message that every push service takes (RFC 8030); the hub sends none that is longer. */
export const pushRecordBytes = 4_096
/** Bytes of its text; of more, encryption fails. */
export const pushPlainBytesMax = 3_993
/** How long a token for a push service is good, in seconds; a service refuses one of more than a day. */
export const vapidSecondsMax = 43_200
/** Subscriptions of one person in an account; more: the oldest is removed. */
export const pushSubscriptionsPerPersonMax = 10
/** Characters of a browser's key; more: 400. */
export const pushKeyCharsMax = 128

assert(pushPlainBytesMax + 86 + 17 <= pushRecordBytes, "the header and the tag must fit beside the text")
