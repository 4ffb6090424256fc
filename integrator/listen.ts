/**
 * `hub listen`: posts each live event to a local address as a webhook's delivery would be, signed with the account's
 * listen secret. Owns the request and what is said of its outcome. Events go one after the other, in their order.
 */
import { createClient } from "../client/src/index.ts"
import { deliveryHeaders, signingKey } from "../src/domain/webhook/signature.ts"
import { type Following, follow, type PlacedEvent } from "./follow.ts"
import type { Profile } from "./profiles.ts"
import { Refusal, refusing } from "./refusal.ts"
import type { Terminal } from "./terminal.ts"

/** As long as the hub waits for a receiver. */
const answerMillisMax = 10_000

/** What is forwarded, and where to. */
export interface Listening extends Following {
  readonly forwardTo: string
  readonly json: boolean
}

/** What became of one event. */
interface Forwarded {
  readonly event: string
  readonly id: string
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
}

const causeOf = (error: Error): string => {
  const { cause } = error as { readonly cause?: { readonly code?: string; readonly message?: string } }
  if (error.name === "TimeoutError") return `no answer within ${answerMillisMax / 1_000} s`
  return cause?.code ?? cause?.message ?? error.message
}

const forward = async (
  url: string,
  item: PlacedEvent,
  keys: Parameters<typeof deliveryHeaders>[1]
): Promise<Forwarded> => {
  const { event } = item.data
  // the same id whenever the same event is sent again
  const deliveryId = `listen_${(item.id ?? "").replace(/[^A-Za-z0-9_-]/gu, "")}`
  const body = JSON.stringify(item.data)
  const begun = performance.now()
  const headers = deliveryHeaders({ deliveryId, event, attempt: 1, body }, keys, Date.now())
  const signal = AbortSignal.timeout(answerMillisMax)
  const outcome = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal }).then(
    async (answer) => {
      await answer.body?.cancel()
      return { status: answer.status, error: null }
    },
    (error: Error) => ({ status: null, error: causeOf(error) })
  )
  return { event, id: deliveryId, ...outcome, durationMs: Math.round(performance.now() - begun) }
}

const lineOf = ({ event, id, status, error, durationMs }: Forwarded): string => {
  const time = new Date().toISOString().slice(11, 19)
  return `${time}  ${event.padEnd(28)} ${error === null ? status : `failed: ${error}`}  ${durationMs} ms  ${id}`
}

/** The account's listen secret. */
export const listenSecret = async ({ url, key }: Profile, terminal: Terminal): Promise<string> => {
  const client = createClient({ url, credential: key })
  return (await refusing(url, client.events.listenSecret({}, { signal: terminal.signal }))).secret
}

/** Forwards until it is interrupted. A receiver that fails is told of and keeps nothing up. */
export const listen = async (profile: Profile, listening: Listening, terminal: Terminal): Promise<void> => {
  const { forwardTo, json } = listening
  if (!URL.canParse(forwardTo) || !/^https?:$/u.test(new URL(forwardTo).protocol))
    throw new Refusal(`--forward-to is an address such as http://localhost:3000/hooks, not ${forwardTo}`)
  const secret = await listenSecret(profile, terminal)
  const keys = [signingKey(secret)]
  if (!json) terminal.complain(`signing with ${secret} (always the same for this account)`)
  const ready = () => terminal.complain(`forwarding to ${forwardTo}; Ctrl-C ends it`)
  await follow(
    profile,
    listening,
    terminal,
    async (item) => {
      const forwarded = await forward(forwardTo, item, keys)
      if (json) terminal.sayJson(forwarded)
      else terminal.say(lineOf(forwarded))
    },
    ready
  )
}
