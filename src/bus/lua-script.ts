/** Runs a Lua script by its digest, and sends its text only to a server that does not know the digest. */
import { createHash } from "node:crypto"

/** A script and its SHA-1 digest. */
export interface Script {
  readonly text: string
  readonly sha: string
}

/** Makes a script from its text. */
export const script = (text: string): Script => ({ text, sha: createHash("sha1").update(text).digest("hex") })

/** Runs a script. Rejects as `call` does. */
export const runScript = async (
  call: (command: string, args: ReadonlyArray<string | number>) => Promise<unknown>,
  { text, sha }: Script,
  keys: ReadonlyArray<string>,
  args: ReadonlyArray<string | number>
): Promise<unknown> => {
  const rest = [keys.length, ...keys, ...args]
  try {
    return await call("EVALSHA", [sha, ...rest])
  } catch (error) {
    // A server that answers NOSCRIPT has run nothing, so the second call cannot run the script twice.
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error
    return call("EVAL", [text, ...rest])
  }
}
