/**
 * Webhooks of a hub under test: making them, reading their deliveries, events to send. Owns the requests; asserts
 * nothing.
 */
import { Effect } from "effect"
import { Dispatcher } from "../../actors/events/dispatcher.ts"
import type { EventName } from "../../src/domain/event/events.ts"
import type { HubEvent } from "../../src/domain/event/hub-event.ts"
import type { HubAnswer, TestAccount, TestHub } from "./hub.ts"
import { until } from "./until.ts"

/** An entry of the delivery history, as far as tests look. */
export interface Entry {
  readonly id: string
  readonly deliveryId: string
  readonly event: string
  readonly attempt: number
  readonly maxAttempts: number
  readonly status: string
  readonly willRetry: boolean
  readonly nextAttemptAt?: number
  readonly statusCode: number | null
  readonly error?: string
  readonly responseBody: string | null
  readonly responseTruncated: boolean
  readonly durationMs: number | null
  readonly requestedAt: number | null
}

/** One account with a webhook. */
export interface Hooked {
  readonly account: TestAccount
  readonly session: string
  readonly key: string
  readonly id: string
  readonly secret: string
  readonly path: string
  /** The history, newest first. */
  readonly entries: () => Promise<ReadonlyArray<Entry>>
  /** Waits until the history is as wished. */
  readonly untilEntries: (
    what: string,
    wish: (entries: ReadonlyArray<Entry>) => boolean
  ) => Promise<ReadonlyArray<Entry>>
  /** A request that takes a recent login, on this webhook. */
  readonly change: (method: string, suffix?: string, body?: unknown) => Promise<HubAnswer>
  readonly record: () => Promise<Record<string, unknown>>
  /** Dispatches an event of this account, and waits for its commit. */
  readonly dispatch: (event?: EventName, members?: Partial<HubEvent>) => Promise<boolean>
}

/** An account with one webhook at an address. */
export const hook = async (
  hub: TestHub,
  url: string,
  events: ReadonlyArray<string> = ["*"],
  owner?: TestAccount
): Promise<Hooked> => {
  const account = owner ?? (await hub.account())
  const session = await account.session()
  const key = await account.key(["webhook:manage"])
  const created = await hub.request("POST", "/api/v1/webhooks", { session, body: { url, events } })
  if (created.status !== 201) throw new Error(`the webhook was not made: ${created.text}`)
  const { id, secret } = created.body as { id: string; secret: string }
  const path = `/api/v1/webhooks/${id}`
  const entries = async (): Promise<ReadonlyArray<Entry>> =>
    (await hub.request("GET", `${path}/deliveries?limit=100`, { key })).body.deliveries
  return {
    account,
    session,
    key,
    id,
    secret,
    path,
    entries,
    untilEntries: (what, wish) =>
      until(what, async () => {
        const all = await entries()
        return wish(all) ? all : undefined
      }),
    change: (method, suffix = "", body) => hub.request(method, path + suffix, { session, body }),
    record: async () => {
      const { body } = await hub.request("GET", "/api/v1/webhooks", { key })
      return body.webhooks.find((one: { id: string }) => one.id === id)
    },
    dispatch: (event = "agent:stopped", members = {}) =>
      hub.inside(
        Effect.flatMap(Dispatcher, (dispatcher) =>
          dispatcher.dispatch({
            accountId: account.accountId,
            daemonId: "dmn_test",
            event,
            payload: { daemonId: "dmn_test", event },
            timestamp: hub.now(),
            ...members
          })
        )
      )
  }
}
