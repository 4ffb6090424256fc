/** Why a time online ended, in the words that are stored and shown. Owns the closed list. */

/** Every reason; `disabled`: the account was disabled. */
export const endReasons = ["closed", "timeout", "disconnected", "revoked", "disabled"] as const

/** One of them. */
export type EndReason = (typeof endReasons)[number]

/** Whether a word is one. */
export const isEndReason = (word: string): word is EndReason => (endReasons as ReadonlyArray<string>).includes(word)
