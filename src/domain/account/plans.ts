/** The plans and what each allows (specification, "Limits"). Owns the figures; enforces nothing. */

export const plans = ["free", "pro", "ultra", "enterprise"] as const

export type Plan = (typeof plans)[number]

/**
 * What one account of a plan may take. `Infinity` where the specification says unlimited; what the hub has to hold
 * always has an end.
 */
export interface PlanLimits {
  /** Calls per calendar month (UTC). */
  readonly monthlyCalls: number
  readonly webhooks: number
  /** Daemons that are enrolled and not revoked. */
  readonly daemons: number
  /** API keys that are neither revoked nor expired. */
  readonly apiKeys: number
  /** Members, and invitations that wait. */
  readonly people: number
  readonly serviceAccounts: number
  /** Policies of what agents may do. */
  readonly policies: number
  /** Browsers that take push messages. */
  readonly pushSubscriptions: number
  /** Deliveries that wait for an attempt, and the bytes of their bodies. */
  readonly pendingDeliveries: number
  readonly pendingDeliveryBytes: number
  /** Outcomes of calls with an `Idempotency-Key` kept for repeats, and the bytes of their answers. */
  readonly keptOutcomes: number
  readonly keptOutcomeBytes: number
  /** Commands that outlive their call, running ones included, and the bytes of their results. */
  readonly keptCommands: number
  readonly keptCommandBytes: number
}

const mebibyte = 1_048_576

/** The limits of each plan. */
export const planLimits: Record<Plan, PlanLimits> = {
  free: {
    monthlyCalls: 1_000,
    webhooks: 2,
    daemons: 20,
    apiKeys: 20,
    people: 3,
    serviceAccounts: 2,
    policies: 5,
    pushSubscriptions: 10,
    pendingDeliveries: 10_000,
    pendingDeliveryBytes: 32 * mebibyte,
    keptOutcomes: 10_000,
    keptOutcomeBytes: 32 * mebibyte,
    keptCommands: 1_000,
    keptCommandBytes: 32 * mebibyte
  },
  pro: {
    monthlyCalls: 50_000,
    webhooks: 10,
    daemons: 500,
    apiKeys: 100,
    people: 25,
    serviceAccounts: 20,
    policies: 50,
    pushSubscriptions: 100,
    pendingDeliveries: 100_000,
    pendingDeliveryBytes: 256 * mebibyte,
    keptOutcomes: 100_000,
    keptOutcomeBytes: 256 * mebibyte,
    keptCommands: 10_000,
    keptCommandBytes: 256 * mebibyte
  },
  ultra: {
    monthlyCalls: 500_000,
    webhooks: 50,
    daemons: 10_000,
    apiKeys: 500,
    people: 250,
    serviceAccounts: 200,
    policies: 200,
    pushSubscriptions: 1_000,
    pendingDeliveries: 1_000_000,
    pendingDeliveryBytes: 2_048 * mebibyte,
    keptOutcomes: 1_000_000,
    keptOutcomeBytes: 1_024 * mebibyte,
    keptCommands: 100_000,
    keptCommandBytes: 1_024 * mebibyte
  },
  enterprise: {
    monthlyCalls: Number.POSITIVE_INFINITY,
    webhooks: Number.POSITIVE_INFINITY,
    daemons: 1_000_000,
    apiKeys: 1_000,
    people: Number.POSITIVE_INFINITY,
    serviceAccounts: Number.POSITIVE_INFINITY,
    policies: 200,
    pushSubscriptions: 1_000,
    pendingDeliveries: 10_000_000,
    pendingDeliveryBytes: 16_384 * mebibyte,
    keptOutcomes: 10_000_000,
    keptOutcomeBytes: 4_096 * mebibyte,
    keptCommands: 1_000_000,
    keptCommandBytes: 4_096 * mebibyte
  }
}

/** Whether a word is a plan. */
export const isPlan = (word: string): word is Plan => (plans as ReadonlyArray<string>).includes(word)
