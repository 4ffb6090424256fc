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
/** Characters of a question's title in a message; more are cut. */
export const pushTitleCharsMax = 300
/** Characters of its action and of its resource; more are cut. */
export const pushSubjectCharsMax = 120
/** How long a push service may keep a message for a browser that is away, in seconds. */
export const pushLifeSecondsMax = 86_400
/** Accounts that a node sends messages for at once; a question of one more is told to no browser. */
export const pushAccountsMax = 256
/** Questions of one account that wait for that; one more is told to no browser. */
export const pushWaitingMax = 64
/** Messages of one account under way at once; the others follow. */
export const pushPostsAtOnceMax = 4

assert((pushTitleCharsMax + 2 * pushSubjectCharsMax) * 6 + 400 <= pushPlainBytesMax, "the longest message must fit")
assert(pushPlainBytesMax + 86 + 17 <= pushRecordBytes, "the header and the tag must fit beside the text")
