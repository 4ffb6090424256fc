/** A fault that is planted in the product, to see whether the simulation finds it. Owns the shape. */

/** One. */
export interface Mutation {
  readonly name: string
  /** From the root of the project. */
  readonly file: string
  /** Text that is there exactly once, and what stands there instead. */
  readonly from: string
  readonly to: string
}
