/** Bounds of OAuth for agents. Unit last, with what happens at the bound. */
import assert from "node:assert/strict"

/** How long an authorization code is good for; later: invalid_grant. */
export const authorizationCodeMillis = 60_000
/** How long a used one is remembered, so that its second use ends what the first one gave. */
export const usedCodeKeptMillis = 600_000
/** Codes of one account that wait or are remembered; one more: 503 OVERLOADED. */
export const codesPerAccountMax = 50
/** And of a hub; one more: 503 OVERLOADED. */
export const codesMax = 20_000
/** When that is worth another try, in seconds. */
export const codesRetrySeconds = 60
/** How long an access token is good for. */
export const accessTokenMillis = 3_600_000
/** After so long without a refresh a grant ends. */
export const grantIdleMillis = 30 * 86_400_000
/** And after so long in any case: its person is asked again. */
export const grantMillisMax = 365 * 86_400_000
/** Grants of one account; one more: 403 CONNECTED_APP_LIMIT_REACHED. */
export const grantsPerAccountMax = 100
/** Access tokens that one grant has at once; the oldest ends. */
export const accessTokensPerGrantMax = 4
/** Replaced refresh tokens that a grant remembers; an older one is unknown, and ends nothing. */
export const replacedTokensKeptMax = 100
/** Clients that an administrator registers; one more is refused. */
export const addedClientsMax = 200
/** Clients that registered themselves; one more: 503. */
export const registeredClientsMax = 10_000
/** Of those, from one address; one more: 503. */
export const registeredClientsPerAddressMax = 20
/** After so long without a grant a client that registered itself is removed. */
export const unusedClientMillis = 86_400_000
/** The query of an authorization request in characters; longer: it is refused on the hub's own page. */
export const authorizationQueryCharsMax = 6_000
/** The address by which a client names itself; longer: no client. */
export const clientIdCharsMax = 512
/** A client's name in characters; the rest is cut. */
export const clientNameCharsMax = 100
/** The address that a client is answered at; longer: it is left out. */
export const redirectUriCharsMax = 1_000
/** Such addresses of one client; the rest is left out. */
export const redirectUrisMax = 32
/** The body of a token, revocation or registration request; more: 413. */
export const oauthBodyBytesMax = 16_384
/** A client's metadata document; more: it is not read. */
export const clientDocumentBytesMax = 8_192
/** How long one may take to arrive; later: it is not read. */
export const clientDocumentMillisMax = 5_000
/** How long one is kept at least, whatever it says. */
export const clientDocumentKeptMillisMin = 300_000
/** And at most, also where it says that it may be kept for longer. */
export const clientDocumentKeptMillisMax = 86_400_000
/** One that could not be read is asked for again after this long. */
export const unreadDocumentMillis = 10_000
/** The bytes of all documents that are kept; the least recently used goes. */
export const clientDocumentsBytesMax = 4_194_304
/** Documents that are fetched at once; one more: 503 OVERLOADED. */
export const clientDocumentFetchesMax = 64
/** Of those, for people of one account; one more: 503 OVERLOADED. */
export const accountDocumentFetchesMax = 4

assert(codesPerAccountMax < codesMax, "one account must not shut out all others")
assert(accountDocumentFetchesMax < clientDocumentFetchesMax, "one account must not hold up all others")
assert(registeredClientsPerAddressMax < registeredClientsMax, "one address must not shut out all others")
assert(authorizationCodeMillis < usedCodeKeptMillis, "a used code must be remembered for longer than it is good for")
