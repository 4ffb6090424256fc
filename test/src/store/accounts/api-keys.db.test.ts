/** API keys as they are stored. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { Accounts } from "../../../../src/store/accounts/accounts.ts"
import { type KeyDraft, Keys } from "../../../../src/store/accounts/api-keys.ts"
import { given } from "../../../support/given.ts"
import { useStore } from "../../../support/store-services.ts"

describe("API keys in the store", () => {
  const store = useStore(Keys.layer)
  const keys = store.using(Keys)

  const draft = (accountId: string, extra: Partial<KeyDraft> = {}): KeyDraft => {
    const id = newId("key")
    const hash = createHash("sha256").update(id).digest("hex")
    return {
      id,
      accountId,
      name: "ci",
      prefix: "hub_abc",
      hash,
      scopes: ["ide:read"],
      createdAt: 10,
      expiresAt: null,
      ...extra
    }
  }
  const added = async (accountId: string, extra: Partial<KeyDraft> = {}): Promise<KeyDraft> => {
    const key = draft(accountId, extra)
    await keys((port) => port.insert(key))
    return key
  }

  given(store.account)("finds who holds a key by its hash, with what the account says of it", async (accountId) => {
    const key = await added(accountId, { scopes: ["ide:read", "terminal:exec"], expiresAt: 99 })
    const holder = { id: key.id, accountId, scopes: key.scopes, selector: null, expiresAt: 99, revokedAt: null }
    const account = { plan: "pro", admin: false, accountDisabled: false }
    const member = { personId: accountId.replace("acc", "per"), role: "owner", selector: null }
    const owner = { kind: "person", member }
    expect(await keys((port) => port.byHash(key.hash))).toEqual({ ...holder, ...account, owner })
    await store.run(Effect.flatMap(Accounts, (accounts) => accounts.setDisabled(accountId, true)))
    expect(await keys((port) => port.byHash(key.hash))).toMatchObject({ accountDisabled: true })
  })

  given(store.account)("gives each of many who ask at once the answer to their own question", async (accountId) => {
    const known = await Promise.all(Array.from({ length: 12 }, () => added(accountId)))
    const asked = known.flatMap(({ hash, id }) => [
      { hash, id: id as string | undefined },
      { hash: hash.replace(/^./u, (digit) => (digit === "0" ? "1" : "0")), id: undefined }
    ])
    const answers = await keys((port) =>
      Effect.all(
        asked.map(({ hash }) => port.byHash(hash)),
        { concurrency: "unbounded" }
      )
    )
    expect(answers.map((holder) => holder?.id)).toEqual(asked.map(({ id }) => id))
  })

  it("lists an account's keys newest first, without revoked ones and without their hashes", async () => {
    const accountId = await store.account()
    const older = await added(accountId, { createdAt: 1 })
    const newer = await added(accountId, { createdAt: 2 })
    const revoked = await added(accountId, { createdAt: 3 })
    await keys((port) => port.revoke(accountId, revoked.id, 4))
    const listed = await keys((port) => port.listByAccount(accountId, 10))
    expect(listed.map(({ id }) => id)).toEqual([newer.id, older.id])
    expect(Object.keys(listed[0]!)).not.toContain("hash")
  })

  it("revokes a key once, and only for its own account", async () => {
    const [mine, theirs] = [await store.account(), await store.account()]
    const key = await added(mine)
    expect(await keys((port) => port.revoke(theirs, key.id, 50))).toBeUndefined()
    expect(await keys((port) => port.revoke(mine, "key_junk", 50))).toBeUndefined()
    expect(await keys((port) => port.byHash(key.hash))).toMatchObject({ revokedAt: null })
    expect(await keys((port) => port.revoke(mine, key.id, 50))).toEqual([])
    expect(await keys((port) => port.revoke(mine, key.id, 60))).toBeUndefined()
    expect(await keys((port) => port.byHash(key.hash))).toMatchObject({ revokedAt: 50 })
  })

  given(store.account)("records many uses together, and an older one never over a newer one", async (accountId) => {
    const [one, other] = [await added(accountId), await added(accountId)]
    await keys((port) =>
      port.touch([
        { keyId: one.id, at: 100 },
        { keyId: other.id, at: 300 },
        { keyId: one.id, at: 200 },
        { keyId: newId("key"), at: 1 }
      ])
    )
    await keys((port) => port.touch([{ keyId: other.id, at: 250 }]))
    await keys((port) => port.touch([]))
    const listed = await keys((port) => port.listByAccount(accountId, 10))
    expect(Object.fromEntries(listed.map(({ id, lastUsedAt }) => [id, lastUsedAt]))).toEqual({
      [one.id]: 200,
      [other.id]: 300
    })
  })

  given(store.account)("refuses a second key of one hash", async (accountId) => {
    const key = await added(accountId)
    const error = await keys((port) => Effect.flip(port.insert(draft(accountId, { hash: key.hash }))))
    expect(error).toMatchObject({ _tag: "StoreFailed", operation: "add an API key" })
  })
})
