/**
 * Bounds of the daemons' sockets: the upgrade, the time before `auth_ok`, and what the library may hold of a frame that
 * is not whole yet. The library exposes no such frame, so the number of sockets is what bounds it.
 */
import assert from "node:assert/strict"
import { nativeFrameBytesMax, resultFrameBytesMax } from "../limits.ts"

/**
 * An `auth` of a socket whose token is not known yet; of a larger one the token alone is read until it is found good.
 */
export const preAuthFrameBytesMax = 16_384
/**
 * Sockets whose token comes in a frame and has not come yet; one more takes the slot of another, or is refused with
 * 503.
 */
export const unauthenticatedMax = 16
/** What all of them hold at most, those that were refused and do not go among them. */
export const unauthenticatedBytesMax = 256_000_000
/** How long such a socket keeps its slot although another needs it, unless its address has several. */
export const unauthenticatedProtectedMillis = 250
/**
 * After the close frame the library holds a socket so long at most for a peer that does not close; longer than it was
 * measured.
 */
export const closingMillisMax = 20_000
/** Sockets that may be in that state though they may hold a large frame; one more is cut off without a code. */
export const heavyClosingMax = 8
/**
 * A look-up of a token that takes longer leaves time for a frame of any size to come; its socket is then taken for
 * heavy.
 */
export const quickLookUpMillis = 10
/**
 * Sockets of one address that closed by themselves and may be in that state; from there one more is refused with 503.
 */
export const closedByPeerPerAddressMax = 8
/** The same of sockets that hold one read of the library at most. */
export const lightClosingMax = 64
/** One read of the library. */
export const readBytesMax = 524_288

/** Upgrades whose token is being looked up; more: 503. */
export const upgradesInCheckMax = 1_000
/** Of those, from one client address; more: 503. Room for a site of daemons that comes back at once. */
export const upgradesInCheckPerAddressMax = 400
/** And of those, at most what it leaves free: a look-up is over in milliseconds. */
export const upgradesInCheckShareOfFree = 1

/**
 * What a wide socket takes: a result that is too large fails its command. On another one it is cut off. (The library
 * shows nothing of a frame before it is whole: all that 20 machines of an account send must stay below 256 MiB.)
 */
export const wideFrameBytesMax = 16_842_752
/** Wide sockets of a node; further ones are narrow. Each may hold a frame of that size for as long as it is open. */
export const wideSocketsMax = 32
/** Of those, of one account. */
export const wideSocketsPerAccountMax = 4
/** At either end of a result that is too large, where its id is looked for. */
export const resultEdgeBytes = 1_024

/**
 * A daemon whose account is disabled is told to keep away this long at least; it may come back more often, and is
 * refused again.
 */
export const disabledAwayMillisMin = 60_000
/** And up to this much longer, each by its id. */
export const disabledSpreadMillis = 60_000

/** A smaller frame costs little to parse, whatever it holds. */
export const lightFrameBytes = 4_096
/**
 * Such frames that one turn of the event loop handles beside the first of each read; others wait. (Events with
 * deliveries take some 40 µs each.)
 */
export const lightFramesPerTurnMax = 256
/** Bytes of larger frames that one turn of the event loop handles, and the rest of one more; others wait. */
export const frameBytesPerTurnMax = 131_072
/** A frame that waits counts as so many bytes at least: what it takes to keep one. */
export const postponedFrameBytesMin = 512
/** Bytes of frames of one socket that wait for a turn; more: all of them are handled at once. */
export const postponedFrameBytesMax = 1_048_576
/** The same of all sockets of a node; more: those of the socket that sends one more. */
export const postponedFrameBytesAllMax = 67_108_864

/**
 * Bytes that wait for the daemons of one account to read them; more: commands are refused (503), and sockets of which
 * nothing was taken for a while are cut off.
 */
export const unsentBytesPerAccountMax = 67_108_864
/** That while: a slow link takes something sooner. */
export const untakenMillisMax = 2_000
/** The same of all daemons; more: of the account with the most the one is cut off that took nothing for longest. */
export const unsentBytesMax = 134_217_728

/** Pings and pongs of one socket in a second; more: cut off. */
export const controlsPerSecondMax = 20

assert(
  (unauthenticatedMax + heavyClosingMax) * nativeFrameBytesMax + lightClosingMax * readBytesMax <=
    unauthenticatedBytesMax,
  "all who are not known together hold no more than is said"
)
assert(unsentBytesPerAccountMax < unsentBytesMax, "one account must not have others cut off")
assert(wideFrameBytesMax > 16_777_216, "16 MiB are taken whole")
assert(resultEdgeBytes * 2 < resultFrameBytesMax, "the ends of a large result do not overlap")
assert(wideSocketsPerAccountMax < wideSocketsMax, "one account must not shut out all others")
