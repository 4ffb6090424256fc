/** A fault that is planted in the product, to see whether the simulation finds it. Owns the shape. */

/** Text that is there exactly once, and what stands there instead. */
export interface Change {
  /** From the root of the project. */
  readonly file: string
  readonly from: string
  readonly to: string
}

/** One. */
export interface Mutation extends Change {
  readonly name: string
  /** What else it changes, where one guard stands behind another. */
  readonly also?: ReadonlyArray<Change>
  /** The seed that shows it, where the first ones do not: it is tried before them. */
  readonly seed?: number
  /** Why no course of events can show it: what stands behind it. Such a fault is counted apart. */
  readonly masked?: string
}

/** All that a fault changes. */
export const changesOf = (mutation: Mutation): ReadonlyArray<Change> => [mutation, ...(mutation.also ?? [])]
