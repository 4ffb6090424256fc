/**
 * Access tokens that a service account gets for one of its API keys: sealed, and kept nowhere. Owns what such a token
 * says; it is good as long as its key is, so that the key's end is its own.
 */
import { isScope, type Scope } from "../../domain/account/scopes.ts"
import { makeSeal } from "../secret-box.ts"

const prefix = "hubt_"
const belongs = "access token of a key"

/** Which key, until when (epoch milliseconds), and what of the key's scopes. */
export interface KeyToken {
  readonly keyHash: string
  readonly expiresAt: number
  readonly scopes: ReadonlyArray<Scope>
}

/** Whether a text may be one. */
export const isKeyToken = (text: string): boolean => text.startsWith(prefix)

export const makeKeyTokens = (secretKey: Uint8Array) => {
  const seal = makeSeal(secretKey)
  return {
    issue: ({ keyHash, expiresAt, scopes }: KeyToken): string =>
      prefix + seal.seal([keyHash, expiresAt, ...scopes].join(" "), belongs),
    /** Undefined: this hub has not made it. */
    read: (text: string): KeyToken | undefined => {
      try {
        const [keyHash = "", expiresAt, ...scopes] = seal.open(text.slice(prefix.length), belongs).split(" ")
        return { keyHash, expiresAt: Number(expiresAt), scopes: scopes.filter(isScope) }
      } catch {
        return undefined
      }
    }
  }
}
