/**
 * The debug bundle of one chat. Owns what it contains and that it is redacted; redaction.ts knows the secrets.
 */
import type { Agent } from "./agent.ts"
import { redacted } from "./redaction.ts"

/** Bundle and the same as text to paste. */
export const debugBundle = (
  agent: Agent,
  frontendSnapshot: unknown,
  now: number
): { readonly bundle: Record<string, unknown>; readonly text: string } => {
  const bundle = redacted({
    producedBy: "hub reference daemon",
    producedAt: new Date(now).toISOString(),
    ...agent.evidence(),
    ...(frontendSnapshot === undefined ? {} : { frontendSnapshot })
  }) as Record<string, unknown>
  return { bundle, text: JSON.stringify(bundle, null, 2) }
}
