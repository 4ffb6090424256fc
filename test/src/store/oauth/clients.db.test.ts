/** Registered clients in a real database: their bounds, and when they go. */
import { Layer } from "effect"
import { describe, expect, it } from "vitest"
import { hashCredential } from "../../../../src/auth/api-key.ts"
import { newId } from "../../../../src/domain/ids.ts"
import {
  addedClientsMax,
  registeredClientsMax,
  registeredClientsPerAddressMax,
  unusedClientMillis,
  usedCodeKeptMillis
} from "../../../../src/limits/oauth.ts"
import { OAuthClients, type RegisteredClient } from "../../../../src/store/oauth/clients.ts"
import { Grants } from "../../../../src/store/oauth/grants.ts"
import { insertMany } from "../../../support/many-rows.ts"
import { useStore } from "../../../support/store-services.ts"

describe("clients in the store", () => {
  const store = useStore(Layer.merge(OAuthClients.layer, Grants.layer))
  const clients = store.using(OAuthClients)
  const clientOf = (more: Partial<RegisteredClient> = {}) => ({
    id: newId("oauthClient"),
    name: "A",
    redirectUris: ["https://a.example/callback"],
    refreshes: true,
    secretHash: null,
    registeredFrom: null,
    createdAt: 1_000,
    ...more
  })
  const add = (client: ReturnType<typeof clientOf>) => clients((port) => port.add(client))
  const granted = async (clientId: string) => {
    const accountId = await store.account()
    const grantId = newId("grant")
    await store.sql(
      `insert into oauth_grants (id, account_id, person_id, client_id, client_name, redirect_host, scopes, offline, created_at, expires_at)
       values ('${grantId}', '${accountId}', '${accountId.replace("acc_", "per_")}', '${clientId}', '', '', '{}', true, 0, 9e15)`
    )
    return { grantId, accountId }
  }

  it("are found by their id, and those that an administrator added are listed and removed, grants and all", async () => {
    const client = clientOf({ secretHash: hashCredential("x") })
    expect(await add(client)).toBe("added")
    expect(await add(clientOf({ registeredFrom: "192.0.2.9" }))).toBe("added")
    expect(await clients((port) => port.byId(client.id))).toEqual({ ...client, usedAt: 1_000 })
    expect(await clients((port) => port.byId("https://a.example/"))).toBeUndefined()
    expect(await clients((port) => port.added)).toEqual([{ ...client, usedAt: 1_000 }])
    const grant = await granted(client.id)
    expect(await clients((port) => port.remove(client.id))).toEqual([{ ...grant, cancelledJobs: [] }])
    expect(await clients((port) => port.remove(client.id))).toBeUndefined()
  })

  it("have a bound of each kind and for each address, however many come at once", async () => {
    const from = { registeredFrom: "192.0.2.1" }
    const all = await Promise.all(Array.from({ length: registeredClientsPerAddressMax + 3 }, () => add(clientOf(from))))
    expect(all.filter((one) => one === "full")).toHaveLength(3)
    const fill = (count: number, from: string) =>
      store.run(
        insertMany(
          count,
          `insert into oauth_clients (id, name, redirect_uris, refreshes, registered_from, created_at, used_at)
           select 'full_' || n || ${from}, '', '{}', false, nullif(${from}, ''), 9e15, 9e15`
        )
      )
    await fill(registeredClientsMax, "'a' || n")
    expect(await add(clientOf({ registeredFrom: "192.0.2.2" }))).toBe("full")
    await fill(addedClientsMax, "''")
    expect(await add(clientOf())).toBe("full")
    await store.sql("delete from oauth_clients where id like 'full_%'")
  })

  it("go a day after they were last shown, where they registered themselves and have no grant", async () => {
    const [unused, used, kept, byHand] = [
      clientOf({ registeredFrom: "192.0.2.3" }),
      clientOf({ registeredFrom: "192.0.2.3" }),
      clientOf({ registeredFrom: "192.0.2.3" }),
      clientOf()
    ]
    for (const one of [unused, used, kept, byHand]) await add(one)
    await granted(kept.id)
    await clients((port) => port.used(used.id, 2_000))
    await clients((port) => port.prune(1_001 + unusedClientMillis + usedCodeKeptMillis))
    const left = await Promise.all([unused, used, kept, byHand].map(({ id }) => clients((port) => port.byId(id))))
    expect(left.map((one) => one !== undefined)).toEqual([false, true, true, true])
  })
})
