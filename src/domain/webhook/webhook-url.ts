/** Which URLs a webhook may have. Owns the rule at creation; each connection resolves and filters the name again. */
import { Result } from "effect"
import { webhookUrlCharsMax } from "../../limits/delivery.ts"

/**
 * The address as it is stored, or what is wrong with it. `literalAllowed` judges an address that stands in the URL
 * itself.
 */
export const checkWebhookUrl = (
  given: string,
  literalAllowed: (address: string) => boolean
): Result.Result<string, string> => {
  if (given.length > webhookUrlCharsMax) return Result.fail(`must be at most ${webhookUrlCharsMax} characters`)
  if (/[\s\p{Cc}]/u.test(given) || !URL.canParse(given)) return Result.fail("must be a URL")
  const url = new URL(given)
  if (url.protocol !== "http:" && url.protocol !== "https:") return Result.fail("must be http or https")
  if (url.username !== "" || url.password !== "") return Result.fail("must not contain user information")
  const literal = literalAddress(url.hostname)
  const isPrivate =
    literal === undefined ? isThisHost(url.hostname) && !loopback.some(literalAllowed) : !literalAllowed(literal)
  return isPrivate ? Result.fail(privateAddress) : Result.succeed(given)
}

const loopback = ["127.0.0.1", "::1"]
const privateAddress =
  "must not be an address of this host or of a private network; `hub listen` forwards events to this computer, HUB_WEBHOOK_ALLOW_CIDRS of a hub of your own opens ranges"

/** Whether a name always means the host that asks (RFC 6761 §6.3). */
const isThisHost = (hostname: string): boolean => /(?:^|\.)localhost\.?$/u.test(hostname)

/**
 * The address that stands in a URL's host, without brackets; undefined for a name. The URL parser has already made
 * decimal, octal and hex forms dotted.
 */
export const literalAddress = (hostname: string): string | undefined => {
  if (hostname.startsWith("[")) return hostname.slice(1, -1)
  return /^\d{1,3}(?:\.\d{1,3}){3}$/u.test(hostname) ? hostname : undefined
}
