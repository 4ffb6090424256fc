/**
 * Explains a system error about a file or folder in a clause for a person. Owns the words for the codes; touches no
 * file.
 */

const words: Readonly<Record<string, (what: string) => string>> = {
  ENOSPC: (what) => `the disk of ${what} is full`,
  EDQUOT: (what) => `the quota of the disk of ${what} is used up`,
  EROFS: (what) => `${what} lies on a read-only file system`,
  EACCES: (what) => `${what} is closed to this user (permission denied)`,
  EPERM: (what) => `${what} is closed to this user (not permitted)`,
  EEXIST: (what) => `${what} is not a folder`,
  ENOTDIR: (what) => `${what} is not a folder, or lies below what is none`,
  EISDIR: (what) => `${what} is a folder, where a file is needed`,
  ENOENT: (what) => `${what} does not exist`,
  EMFILE: (what) => `too many files are open to open ${what}`,
  ENFILE: (what) => `too many files are open to open ${what}`,
  EIO: (what) => `the disk of ${what} does not work (input/output error)`
}

/** The system's code of a failure; empty when it has none. */
export const codeOf = (cause: unknown): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return typeof code === "string" ? code : ""
}

/** Why `what` cannot be used. */
export const fileFault = (what: string, cause: unknown): string => {
  const code = codeOf(cause)
  const known = Object.hasOwn(words, code) ? words[code] : undefined
  if (known !== undefined) return known(what)
  return `${what} cannot be used: ${code || (cause instanceof Error ? cause.message : String(cause))}`
}
