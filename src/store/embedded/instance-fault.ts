/**
 * The failure of an embedded database instance, in a form that one thread sends to another. Owns the codes; imports
 * nothing of the hub.
 */

/** Why something failed; `code` as the system names it, empty when it is none of the system's. */
export interface Fault {
  readonly failed: string
  readonly code: string
}

// The numbers of Emscripten, which are WASI's.
const codes: Readonly<Record<number, string>> = {
  2: "EACCES",
  19: "EDQUOT",
  20: "EEXIST",
  29: "EIO",
  33: "EMFILE",
  41: "ENFILE",
  44: "ENOENT",
  51: "ENOSPC",
  54: "ENOTDIR",
  63: "EPERM",
  69: "EROFS"
}

/** Anything thrown, so that it can be sent. */
export const faultOf = (cause: unknown): Fault => {
  const { code, errno, message } = Object(cause) as Readonly<Record<string, unknown>>
  const known = typeof code === "string" && /^E[A-Z]+$/u.test(code) ? code : (codes[Number(errno)] ?? "")
  return { code: known, failed: typeof message === "string" ? message : known || String(cause) }
}

/** The fault as an error again. */
export const errorOf = ({ failed, code }: Fault): Error => Object.assign(new Error(failed), code === "" ? {} : { code })
