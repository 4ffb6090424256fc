/**
 * The store of presence over one fresh database for a test file, with what such tests do again and again: nodes that
 * live and die, daemons, claims and releases. Asserts nothing.
 */
import { createHash } from "node:crypto"
import { Layer } from "effect"
import { newId } from "../../../../src/domain/ids.ts"
import { nodeLeaseMillis } from "../../../../src/limits/nodes.ts"
import { Daemons } from "../../../../src/store/daemons/daemons.ts"
import { JoinKeys } from "../../../../src/store/daemons/join-keys.ts"
import { Nodes } from "../../../../src/store/daemons/nodes.ts"
import { type ClaimRequest, PresenceStore } from "../../../../src/store/daemons/presence.ts"
import type { NewDelivery } from "../../../../src/store/webhooks/deliveries.ts"
import { Webhooks } from "../../../../src/store/webhooks/webhooks.ts"
import { useStore } from "../../../support/store-services.ts"

const maxAttempts = 4

/** The hash of a token that nobody has. */
export const someTokenHash = (): string => createHash("sha256").update(newId("key")).digest("hex")

/** A delivery of an event of a daemon. */
export const delivery = (webhookId: string, event = "daemon:connect"): NewDelivery => ({
  id: newId("delivery"),
  webhookId,
  event,
  body: "{}",
  createdAt: 7,
  dedupe: undefined
})

/** The claim of a new connection. */
export const connect = (daemonId: string, more: Partial<ClaimRequest> = {}): ClaimRequest => ({
  daemonId,
  epoch: undefined,
  tokenHash: undefined,
  begins: true,
  at: 100,
  deliveries: [],
  ...more
})

/** Registers the making and the end of that store with the test file that calls it. */
export const usePresenceStore = () => {
  const store = useStore(
    Layer.mergeAll(PresenceStore.layer, Nodes.layer, Daemons.layer, JoinKeys.layer, Webhooks.layer)
  )
  const presence = store.using(PresenceStore)
  const nodes = store.using(Nodes)
  const daemons = store.using(Daemons)
  const sql = (text: string, values: ReadonlyArray<unknown> = []) => store.sql<{ id: string }>(text, values)
  const beat = (name: string) => nodes((port) => port.beat(name, true))
  return {
    store,
    presence,
    daemons,
    sql,
    beat,
    /** A node that lives. */
    node: async (): Promise<string> => {
      const name = newId("key")
      await beat(name)
      return name
    },
    /** As if its last heartbeat were older than a lease. */
    kill: (name: string) => sql("update nodes set seen_at = seen_at - $2 where node = $1", [name, nodeLeaseMillis + 1]),
    /** The daemon of an account. */
    daemon: async (accountId: string, tokenHash = someTokenHash()): Promise<string> =>
      (await daemons((port) => port.enrol({ accountId, daemonId: undefined, tokenHash, name: "", now: 5 })))!,
    /** One that wants every event. */
    webhook: async (accountId: string): Promise<string> => {
      const id = newId("webhook")
      await sql(
        "insert into webhooks (id, account_id, url, events, active, created_at, updated_at, secret) values ($1, $2, 'https://example.org', '{*}', true, 0, 0, '\\x00')",
        [id, accountId]
      )
      return id
    },
    claim: async (by: string, ...requests: ReadonlyArray<ClaimRequest>) => {
      const { claimed, deliveryIds } = await presence((port) => port.claim(by, requests, maxAttempts))
      return { first: claimed.get(requests[0]!.daemonId), claimed, deliveryIds }
    },
    release: (by: string, daemonId: string, epoch: number, deliveries: ReadonlyArray<NewDelivery> = [], at = 400) =>
      presence((port) =>
        port.release(by, [{ daemonId, epoch, at, reason: "timeout", code: 1006, deliveries }], maxAttempts)
      ),
    takeOver: (by: string, dead: string, limit = 10) => presence((port) => port.takeOver(by, dead, limit, false)),
    deliveriesOf: async (webhookId: string): Promise<ReadonlyArray<string>> =>
      (await sql("select event as id from deliveries where webhook_id = $1 order by created_at, id", [webhookId])).map(
        ({ id }) => id
      ),
    placeOf: async (daemonId: string) => (await presence((port) => port.places([daemonId])))[0]?.node
  }
}
