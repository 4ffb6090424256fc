/** A Lua script as Redis runs it: by its digest, sent whole only where a server does not know it. */
import { createHash } from "node:crypto"

/** A script. */
export interface Script {
  readonly text: string
  readonly sha: string
}

/** Makes one. */
export const script = (text: string): Script => ({ text, sha: createHash("sha1").update(text).digest("hex") })

/** Runs it. Rejects as `call` does. */
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
    // what a server does not know it has not run
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error
    return call("EVAL", [text, ...rest])
  }
}
