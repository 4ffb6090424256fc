/** The plans and what each allows (specification, "Limits"). Owns the figures; enforces nothing. */

/** Every plan. */
export const plans = ["free", "pro", "ultra", "enterprise"] as const

/** One plan. */
export type Plan = (typeof plans)[number]

/** Calls a calendar month (UTC) and webhooks an account; `Infinity` where the specification says unlimited. */
export const planLimits: Record<Plan, { readonly monthlyCalls: number; readonly webhooks: number }> = {
  free: { monthlyCalls: 1_000, webhooks: 2 },
  pro: { monthlyCalls: 50_000, webhooks: 10 },
  ultra: { monthlyCalls: 500_000, webhooks: 50 },
  enterprise: { monthlyCalls: Number.POSITIVE_INFINITY, webhooks: Number.POSITIVE_INFINITY }
}

/** Whether a word is a plan. */
export const isPlan = (word: string): word is Plan => (plans as ReadonlyArray<string>).includes(word)
