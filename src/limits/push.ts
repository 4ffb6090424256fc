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
/** Characters of a token that answers it; more: 400. */
export const pushTokenCharsMax = 100
/** How long one of its tokens answers it. */
export const pushAnswerMillis = 900_000
/** Tokens of a browser that are good at once; of more, a message bears none, and a click on it opens the inbox. */
export const pushAnswersPerBrowserMax = 128
/** Accounts whose questions a node looks up browsers for at once; a question of one more is told to no browser. */
export const pushAccountsMax = 256
/** Questions of one account that wait for that; one more is told to no browser. */
export const pushWaitingMax = 64
/**
 * Messages of one account in a second, a question without a browser among them as one: the next question waits. (To
 * encrypt, sign and send one takes some 0.5 ms.)
 */
export const pushMessagesPerSecond = 50
/** The same at once after a quiet time; beyond it a question is still told to all browsers. */
export const pushMessagesBurst = 100
/** Push services of accounts that a node sends to at once; a message for one more is not sent. */
export const pushServicesMax = 1_024
/** Messages of one account that wait for one push service; one more is not sent. */
export const pushMessagesMax = 256
/** Messages of one account under way to one push service at once; the others follow. */
export const pushPostsAtOnceMax = 4
/** When a message that failed is sent again, in milliseconds after each attempt; then it is given up. */
export const pushRetryMillis = [2_000, 10_000] as const

assert((pushTitleCharsMax + 2 * pushSubjectCharsMax) * 6 + 500 <= pushPlainBytesMax, "the longest message must fit")
assert(pushPlainBytesMax + 86 + 17 <= pushRecordBytes, "the header and the tag must fit beside the text")
