/** Bounds of tags, of selectors over them, and of the join keys that give them. */
import assert from "node:assert/strict"

/** Tags that an owner gives one daemon, more: 400; and that a daemon gives itself, more are left out. */
export const tagsPerDaemonMax = 32
/** A tag's value in characters; longer: 400 of an owner, and left out of a daemon's own. */
export const tagValueCharsMax = 63
/** Terms of one selector; more: 400. */
export const selectorTermsMax = 16
/** A selector in characters, blanks included; longer: 400. */
export const selectorCharsMax = 4_096
/** Daemons whose tags changed last, kept for a connection that is being accepted meanwhile; the oldest is forgotten. */
export const tagChangesKeptMax = 10_000
/** Daemons that one call changes the tags of; more: 400, and none is changed. */
export const taggedDaemonsMax = 10_000
/** Of them those that other nodes are told of in one turn; the rest in the next. */
export const taggedToldMax = 500
/** How long after news of changed tags who waits is judged once more: the tags may come to a node behind the news. */
export const taggedAgainMillis = 1_000

assert(taggedDaemonsMax <= tagChangesKeptMax, "what one call changes must reach a connection that is being accepted")
