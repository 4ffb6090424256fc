/** What a failed call is called on the page. Owns the sentences; the hub's own come first. */
import { ConnectionFailed, Refused, TimedOut } from "@hub/client"
import { NotConfirmed } from "./recent-login.ts"

const hints: Readonly<Partial<Record<string, string>>> = {
  PROMPT_CHANGED: "The agent asks something else by now. Nothing was answered: look at the newest question.",
  RECENT_LOGIN_REQUIRED: "This needs a sign-in of the last minutes.",
  DAEMON_OFFLINE: "The daemon is offline.",
  DAEMON_LACKS_FEATURE: "This daemon keeps no log of its sessions.",
  NOT_FOUND: "It is not there, or no longer.",
  COMMAND_NOT_CANCELLABLE: "This daemon cannot cancel a command."
}

const refusal = (error: Refused): string => {
  if (error.problem === undefined) return `Something before the hub answered ${error.status}.`
  const { reason, error: sentence, requestId } = error.problem
  if (error.status === 429 && error.retryAfter !== undefined) return `${sentence} Try again in ${error.retryAfter} s.`
  if ("issues" in error.problem && error.problem.issues !== undefined) {
    return [sentence, ...error.problem.issues.map(({ path, message }) => `${path} ${message}.`)].join(" ")
  }
  if (error.status >= 500) return `${hints[reason] ?? sentence} (request ${requestId})`
  return hints[reason] ?? sentence
}

/** The sentence for a failure; undefined for what the owner ended. */
export const failureWords = (error: unknown): string | undefined => {
  if (error instanceof NotConfirmed) return undefined
  if (error instanceof DOMException && error.name === "AbortError") return undefined
  if (error instanceof Refused) return refusal(error)
  if (error instanceof ConnectionFailed) return "The hub was not reached."
  if (error instanceof TimedOut) return "The hub did not answer in time. What was asked for may have happened."
  return error instanceof Error ? error.message : String(error)
}
