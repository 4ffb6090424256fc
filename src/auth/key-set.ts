/**
 * The key set of another issuer. Owns when it is fetched: once it is old or lacks a key, and no more often than a
 * bound, whatever becomes of the fetch. While the issuer is away the keys that are known stay good; an unknown one is
 * then no reason to refuse its token. Verifies nothing.
 */
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from "jose"
import { StoreFailed } from "../errors.ts"
import { identityMillisMax, jwksMillisMax, jwksRefetchMillisMin } from "../limits.ts"
import type { IssuerFetch } from "./issuer-fetch.ts"

type Keys = ReturnType<typeof createLocalJWKSet>

const read = async (fetch: IssuerFetch, url: string): Promise<Keys> => {
  const answer = await fetch(url, {
    headers: { accept: "application/json, application/jwk-set+json" },
    redirect: "manual",
    signal: AbortSignal.timeout(identityMillisMax)
  })
  if (answer.status !== 200) throw new Error(`the key set was answered with ${answer.status}`)
  return createLocalJWKSet((await answer.json()) as Parameters<typeof createLocalJWKSet>[0])
}

/** The keys at a URL, for jose. `now`: monotonic milliseconds. Throws StoreFailed where they cannot be learnt. */
export const keySetAt = (fetch: IssuerFetch, url: string, now: () => number): JWTVerifyGetKey => {
  let known: { readonly keys: Keys; readonly at: number } | undefined
  let failure: { readonly cause: unknown } | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  let pending: Promise<void> | undefined

  /** Ends when the fetch does that is under way, or may begin now. */
  const refresh = async (): Promise<void> => {
    if (pending === undefined && now() - triedAt < jwksRefetchMillisMin) return
    if (pending === undefined) triedAt = now()
    pending ??= read(fetch, url)
      .then(
        (keys) => {
          known = { keys, at: now() }
          failure = undefined
        },
        (cause: unknown) => {
          failure = { cause }
        }
      )
      .finally(() => {
        pending = undefined
      })
    await pending
  }
  const isAway = (): StoreFailed => new StoreFailed({ operation: "fetch the key set", cause: failure?.cause })

  return async (header, token) => {
    if (known === undefined || now() - known.at >= jwksMillisMax) {
      const refreshed = refresh()
      // no caller waits again for an issuer that is known to be away
      if (known === undefined || failure === undefined) await refreshed
    }
    if (known === undefined) throw isAway()
    try {
      return await known.keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await refresh()
      if (failure !== undefined) throw isAway()
      return known.keys(header, token)
    }
  }
}
