/** A promise and the functions that settle it. Owns nothing else: Node 20 lacks `Promise.withResolvers`. */

/** The promise of type `A`, and its two ends. */
export interface Deferred<A> {
  readonly promise: Promise<A>
  readonly resolve: (value: A) => void
  readonly reject: (error: unknown) => void
}

/** A promise that is settled from outside. */
export const deferred = <A>(): Deferred<A> => {
  let ends: Pick<Deferred<A>, "resolve" | "reject"> | undefined
  const promise = new Promise<A>((resolve, reject) => {
    ends = { resolve, reject }
  })
  return { promise, ...ends! }
}
