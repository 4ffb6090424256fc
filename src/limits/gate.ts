/** Bounds of the gate: credentials, rate limits, quota, sign-in, idempotency. */
import assert from "node:assert/strict"

/** A bearer credential in characters; longer: 401 without a look. */
export const bearerCharsMax = 8_192
/** Credentials remembered as good; more: the least recently used is forgotten. */
export const credentialsCachedMax = 50_000
/** Accounts remembered as their owners see them; more: the least recently asked for is read again. */
export const profilesMax = 10_000
/** How long a good credential is believed without a new look-up, should the bus say nothing. */
export const credentialMillisMax = 30_000
/**
 * One that is used after this long is looked up again beside its use, so that a caller with steady calls never waits
 * for that.
 */
export const credentialRenewMillis = 20_000
/** Credentials remembered as unknown; more: the least recently used is forgotten. */
export const unknownCredentialsMax = 10_000
/** How long a credential stays unknown without a new look-up. */
export const unknownCredentialMillis = 5_000
/** Look-ups of credentials at a time; more: 503 OVERLOADED. */
export const lookupsMax = 1_000
/** Uses of keys that wait to be written; more: the use is not recorded. */
export const keyUsesMax = 100_000
/** How often uses of keys are written. */
export const keyUsesFlushMillis = 5_000

/**
 * Logins before this time may have their session in a console's cookie under its old name; they are over 30 days later,
 * and with them what reads that name.
 */
export const oldConsoleCookieBefore = Date.UTC(2026, 10, 28)

/** How far ahead the end of a stream's credential is waited for at once; a later one is looked at again then. */
export const expiryLookMillis = 86_400_000

/** How often it is looked which calls wait: one that waits longer is judged again when its credential changes. */
export const openCallLookMillis = 1_000
/** Calls that are judged again at a time while nodes do not hear each other; more: one after another. */
export const openCallsJudgedMax = 50

/** The span of the rate limits. */
export const rateWindowMillis = 60_000
/**
 * The sessions of one person in an account may have so many times what one address may: no quota counts their calls,
 * and addresses are many (of IPv6 each /64 is one).
 */
export const sessionRateTimes = 5
/** Buckets of keys, of sessions, and of join keys; past it, the rest shares the overflow buckets. */
export const bucketsMax = 200_000
/** The same of addresses, which cost who has none of them nothing. */
export const addressBucketsMax = 50_000
/** Buckets of one policy from which on those that admitted little end at the next sweep. */
export const bucketsCrowd = 10_000
/** Overflow buckets of one policy, chosen by a keyed hash; each admits what one bucket does. */
export const overflowBuckets = 1_024
/** A bucket that is idle for this long ends. */
export const bucketIdleMillis = rateWindowMillis * 2
/** How often buckets that fell idle are looked for. */
export const bucketSweepMillis = 5_000
/** Buckets looked at in one go; the rest waits for the next turn of the event loop. */
export const bucketSweepSlice = 10_000

/** The span of the limits of the auth endpoints. */
export const attemptsSpanMillis = 300_000
/** Calls of one address to the auth endpoints in that span; more: 429. */
export const attemptCallsMax = 100
/** Failures of one address and account in that span; more: 429 before the password is looked at. */
export const attemptFailuresMax = 10
/** Addresses, and pairs of address and account, watched each; past it, the rest shares overflow windows. */
export const attemptEntriesMax = 50_000

/** Password checks at a time: each takes a core and 19 MiB. */
export const passwordChecksMax = 2
/** Password checks that wait; more: of the address that had most of late the newest is 503 OVERLOADED. */
export const passwordWaitersMax = 64
/** How long an address's checks count for the order of turns: this long at least, twice that at most. */
export const passwordSpanMillis = 60_000
/** Addresses, and their networks, whose checks are counted; more: those of the span before are forgotten. */
export const passwordAddressesMax = 50_000
/** A password in bytes; longer: 400. */
export const passwordBytesMax = 1_024
/** The least a new password may have. */
export const passwordCharsMin = 8
/** An e-mail address that names an account, in characters; longer: refused. */
export const emailCharsMax = 320
/** Of that, before the `@`. */
export const emailLocalCharsMax = 64
/** And behind it, as DNS writes the name. */
export const emailDomainCharsMax = 253
/** Accounts named in the log at a start because their address is no key; more: their number. */
export const emailsNamedMax = 20
/** Accounts whose address is made into a key in one statement; the rest goes with the next. */
export const emailRowsMax = 1_000
/** How long a sign-in may take at the provider; later: the callback is refused. */
export const signInMillisMax = 600_000
/** Sign-ins that one browser has begun and not ended; one more: the oldest is forgotten. */
export const signInsPerBrowserMax = 4
/** How long a one-time code is good. */
export const codeMillisMax = 60_000
/** One-time codes of one person in an account that wait for their exchange; more: the oldest is gone. */
export const codesMax = 5
/** Sessions of one account, those that ended and are not yet removed included; more: the oldest ends. */
export const sessionsMax = 100
/**
 * How long a token is good beside the one its refresh gave, for calls under way and other tabs; then it is refused, and
 * its next refresh ends the session.
 */
export const refreshGraceMillis = 60_000
/** How long a call to an identity provider may take. */
export const identityMillisMax = 5_000
/** An answer of another issuer (metadata, key set, tokens, UserInfo); a larger one counts as none. */
export const issuerAnswerBytesMax = 262_144
/** The least time between two fetches of a key set, whether they worked or not. */
export const jwksRefetchMillisMin = 5_000
/** How far a claim of another issuer may lie ahead (`nbf`): clocks differ. */
export const claimLeewaySeconds = 30
/** How old a fetched key set may become before it is fetched again. */
export const jwksMillisMax = 600_000
/** How old a signing key becomes before a new one signs. */
export const signingKeyMillis = 30 * 86_400_000
/** How long a person stays signed in by refreshing, from the login. */
export const loginMillisMax = 30 * 86_400_000
/** The least time between two readings of the signing keys because of an unknown key id. */
export const signingReadMillisMin = 1_000
/** Signing keys read from the store; older ones verify nothing any more. */
export const signingKeysMax = 16

/** Calls leased from the store at a time, at most. */
export const quotaBlockMax = 200
/** A block is at most this part of what is free: blocks shrink to single calls as the month's end of calls nears. */
export const quotaBlockShare = 20
/** How often uses are written: at most a second of counts is lost by a kill. */
export const quotaFlushMillis = 400
/** A block not renewed for this long is returned: its node died. */
export const quotaLeaseMillis = 5_000
/** How long a call waits for a block that another node holds, before it is refused. */
export const quotaWaitMillisMax = 8_000
/** How often such a call asks again. */
export const quotaAskMillis = 200
/** Accounts whose quota is held in memory; more: the call is counted in the store by itself. */
export const quotaAccountsMax = 100_000
/** A month unused for this long leaves memory; longer than any call whose end may return a call to it. */
export const quotaIdleMillis = 300_000
/** How long what the store said of a month is shown without asking it again. */
export const quotaSeenMillis = 1_000
/** A block that is unused for this long is returned: another node may need it. */
export const quotaHoldMillis = 2_000
/** The same on a hub of one node, where no other node needs it: as long as a key is known without asking the store. */
export const quotaHoldAloneMillis = credentialMillisMax
/** How often a block that is held but not used is renewed. */
export const quotaRenewMillis = quotaLeaseMillis / 2
/** How long a month found used up counts as used up, in case a refund on another node frees a call. */
export const quotaSpentMillis = 1_000
/** Accounts written in one statement. */
export const quotaFlushRowsMax = 1_000

/** An idempotency key in characters; other shapes: 400. */
export const idempotencyKeyCharsMax = 255
/** How long an outcome is kept. */
export const idempotencyMillis = 86_400_000
/** After this long a running call counts as dead: its node ended. Longer than any route may take. */
export const idempotencyRunningMillisMax = 75_000
/** What is added to the longest wait of a command before a running call is taken for dead. */
export const idempotencyMarginMillis = 15_000
/** Calls with an idempotency key under way on one node; more: 503 OVERLOADED. */
export const idempotencyRunsMax = 20_000
/** The largest outcome stored whole; more: its status only. */
export const idempotencyBytesMax = 1_048_576
/**
 * How long a drain waits, its sockets closed, for outcomes to be kept; later: their keys answer as of a node that died.
 */
export const outcomesDrainMillis = 2_000
/**
 * What a node that closes gets beyond its drain, for the stores; later: it ends as it is. With the drain below 30 s.
 */
export const closeMillisMax = 4_000
/** How often outcomes past their time are removed. */
export const idempotencySweepMillis = 600_000

assert(credentialRenewMillis < credentialMillisMax, "a credential must be looked up again before it is forgotten")
assert(credentialMillisMax <= 60_000, "a revoked key must not outlive the bus by a minute")
assert(quotaFlushMillis < 1_000, "a kill may forget at most a second of counts")
assert(quotaLeaseMillis > quotaFlushMillis * 4, "a slow flush must not lose a living node's block")
assert(quotaRenewMillis + quotaFlushMillis * 2 < quotaLeaseMillis, "a held block is renewed before it runs out")
assert(quotaWaitMillisMax > quotaLeaseMillis, "a waiter must outlast the block of a dead node")
assert(quotaHoldMillis < quotaLeaseMillis, "what is held idle goes back before it runs out")
assert(refreshGraceMillis >= credentialMillisMax, "no node may believe a refreshed token beyond its grace")
assert(codeMillisMax < signInMillisMax, "a code is younger than its sign-in")
/** How often what has expired is removed. */
export const gateUpkeepMillis = 600_000
/** How long an expired session is kept before it is removed, for clocks that disagree. */
export const sessionKeptMillis = 86_400_000
