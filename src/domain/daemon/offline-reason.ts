/** Why a time online ended, in the words that are stored and shown. Owns the closed list. */

/** Every reason; `disabled`: the account was disabled. */
export const offlineReasons = ["closed", "timeout", "disconnected", "revoked", "disabled"] as const

export type OfflineReason = (typeof offlineReasons)[number]

/** Whether a word is one. */
export const isEndReason = (word: string): word is OfflineReason =>
  (offlineReasons as ReadonlyArray<string>).includes(word)
