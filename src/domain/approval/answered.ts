/** How a question of an agent was answered. Owns the shapes. */

/** Who answered. `daemon`: on the machine, or the agent withdrew it. */
export const answererKinds = ["person", "key", "policy", "daemon"] as const
export interface Answerer {
  readonly kind: (typeof answererKinds)[number]
  /** Of a person, or of a key or a connected app. */
  readonly id?: string
}

/** How a question was answered, as far as it is known. */
export interface Answered {
  readonly by: Answerer
  /** What was decided; absent where nothing was, or it is not known. */
  readonly decision?: string
  /** The rule of a policy. */
  readonly rule?: string
}
