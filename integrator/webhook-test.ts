/**
 * `hub trigger webhook:test`: has the hub send the test of a webhook, one attempt, and shows what came of it. Owns
 * which webhook is meant. No API key may have it sent, so its owner signs in.
 */
import type { HubClient } from "../client/src/index.ts"
import type { Profile } from "./profiles.ts"
import { Refusal, refusing } from "./refusal.ts"
import { signedIn } from "./sign-in.ts"
import type { Terminal } from "./terminal.ts"

/** The event of a test. It goes to its webhook alone: no stream carries it. */
export const webhookTest = "webhook:test"

const onlyOne = async (url: string, client: HubClient): Promise<string> => {
  const { webhooks } = await refusing(url, client.webhooks.list())
  const [first, ...others] = webhooks
  if (first === undefined) throw new Refusal("the account has no webhook to test")
  if (others.length === 0) return first.id
  const each = webhooks.map(({ id, url }) => `\n  ${id}  ${url}`).join("")
  throw new Refusal(`the account has several webhooks: name one with --webhook${each}`)
}

/** Sends it and prints the delivery; gives whether the webhook took it. */
export const testWebhook = (
  profile: Profile,
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  terminal: Terminal
): Promise<boolean> =>
  signedIn(profile, { to: "have the test of a webhook sent" }, { environment, terminal }, async (client) => {
    const { url } = profile
    const webhookId = given ?? (await onlyOne(url, client))
    const { signal } = terminal
    const { success, delivery } = await refusing(url, client.webhooks.test({ webhookId }, { signal }))
    terminal.sayJson(delivery)
    return success
  })
