/** The bounds of the secret keys and of their rotation. */

/** Keys that HUB_SECRET_KEY may list; more: the setting is refused. */
export const secretKeysMax = 4
/** Rows whose secrets one statement seals anew; the rest goes with the next. */
export const resealedRowsMax = 200
/** Walks over all secrets, for those that were sealed under an old key behind the one before; more: it is refused. */
export const rotationWalksMax = 3
/** Nodes and rows that a refusal names; the rest is left out. */
export const rotationNamedMax = 5
/** How long a node counts that has started and has not said in Postgres that it lives. */
export const startingNodeMillis = 15_000
