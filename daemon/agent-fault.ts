/** Where an agent stands, and why it is in error. Pure. */
import { Refusal, words } from "./refusal.ts"

/** Why it is in error. */
export interface Fault {
  readonly message: string
  readonly code?: string
}

/** Where an agent stands. */
export type Status = "idle" | "generating" | "waiting_approval" | "error"

/** With this code a turn fails whose program ended. */
export const endedCode = "agent_exited"

/** How a turn ends that looks complete and is not. */
export const incomplete: ReadonlySet<string> = new Set(["max_tokens", "max_turn_requests"])

/** The agent's own word for it. */
export const refusedToGoOn: Fault = { message: "the agent refused to go on" }

/** What a failure says. */
export const faultOf = (error: unknown): Fault => ({
  message: words(error),
  ...(error instanceof Refusal ? { code: error.code } : {})
})
