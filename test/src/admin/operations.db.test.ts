/** What an administrator may do, on whichever database: what comes back, what is kept, and who is told. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { perform } from "../../../src/admin/operations.ts"
import type { AdminRequest } from "../../../src/admin/requests.ts"
import type { StoreServices } from "../../../src/admin/services.ts"
import { hashCredential, isKey } from "../../../src/auth/api-key.ts"
import { Passwords } from "../../../src/auth/password.ts"
import { SecretRotation } from "../../../src/auth/secret-rotation.ts"
import { Bus, type Topic, type Topics } from "../../../src/bus/bus.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import { firstStart } from "../../../src/cli/first-start.ts"
import { NotShown } from "../../../src/cli/print.ts"
import { defaultSettings } from "../../../src/config.ts"
import { newId } from "../../../src/domain/ids.ts"
import { Accounts } from "../../../src/store/accounts/accounts.ts"
import { Keys } from "../../../src/store/accounts/api-keys.ts"
import { AuditEvents } from "../../../src/store/accounts/audit-events.ts"
import { People } from "../../../src/store/accounts/people.ts"
import { Sessions } from "../../../src/store/accounts/sessions.ts"
import { TurnOverrides } from "../../../src/store/accounts/turn-overrides.ts"
import { Exports } from "../../../src/store/backup/exports.ts"
import { DaemonSearch } from "../../../src/store/daemons/daemon-search.ts"
import { Daemons } from "../../../src/store/daemons/daemons.ts"
import { JoinKeys } from "../../../src/store/daemons/join-keys.ts"
import { Jobs } from "../../../src/store/jobs/jobs.ts"
import { OAuthClients } from "../../../src/store/oauth/clients.ts"
import { type FreshDatabase, freshDatabase } from "../../support/database.ts"

describe("administration", () => {
  let database: FreshDatabase
  let hub: ManagedRuntime.ManagedRuntime<StoreServices, unknown>
  const told: Array<readonly [Topic, unknown]> = []
  let first: ReadonlyArray<string> | undefined

  beforeAll(async () => {
    database = await freshDatabase()
    const stores = Layer.mergeAll(
      Accounts.layer,
      People.layer,
      AuditEvents.layer,
      Keys.layer,
      Sessions.layer,
      Daemons.layer,
      JoinKeys.layer,
      DaemonSearch.layer,
      TurnOverrides.layer,
      OAuthClients.layer,
      Exports.layer,
      Jobs.layer,
      SecretRotation.layer({ ...defaultSettings, ...database.settings }),
      Passwords.layer,
      layerMemory
    )
    hub = ManagedRuntime.make(stores.pipe(Layer.provideMerge(database.layer)))
    const context = await hub.context()
    const hear = <T extends Topic>(topic: T) =>
      Effect.flatMap(Bus, (bus) => bus.subscribe(topic, (message: Topics[T]) => told.push([topic, message])))
    const listening = Effect.andThen(
      Effect.all([
        hear("account_changed"),
        hear("account_disabled"),
        hear("webhooks_changed"),
        hear("key_changed"),
        hear("session_ended"),
        hear("daemon_ordered")
      ]),
      Effect.never
    )
    Effect.runForkWith(context)(Effect.scoped(listening))
  })
  afterAll(async () => {
    await hub.dispose()
    await database.close()
  })

  const ask = (request: AdminRequest) => hub.runPromise(perform(request))
  const done = async (request: AdminRequest): Promise<Record<string, string>> => {
    const answer = await ask(request)
    if (!answer.ok) throw new Error(answer.refusal)
    return answer.answer as Record<string, string>
  }
  const refusal = async (request: AdminRequest): Promise<string> => {
    const answer = await ask(request)
    if (answer.ok) throw new Error("it was done")
    return answer.refusal
  }
  const account = async (email = `${newId("request")}@example.com`) =>
    (await done({ op: "account create", email, plan: "free", admin: false }))["accountId"]!

  /** The lines of a first start; none where it is not the first. */
  const shown = async (): Promise<ReadonlyArray<string>> => {
    const lines: Array<string> = []
    await hub.runPromise(firstStart("http://127.0.0.1:1", (all) => Effect.sync(() => void lines.push(...all))))
    return lines
  }

  it("takes the first credentials back where they cannot be shown", async () => {
    if (first !== undefined) return
    const refused = new NotShown({ sentence: "nobody reads" })
    const exit = await hub.runPromise(Effect.exit(firstStart("http://127.0.0.1:1", () => Effect.fail(refused))))
    expect(exit).toMatchObject({ cause: { reasons: [{ error: { _tag: "NotShown" } }] } })
    expect(await hub.runPromise(Effect.flatMap(Accounts, ({ count }) => count))).toBe(0)
  })

  it("makes the first credentials of an empty store, once, all or none", async () => {
    first ??= await shown()
    const text = first.join("\n")
    expect(text).toContain("owner@localhost, plan pro")
    const key = /hub_\w+/u.exec(text)![0]
    expect(text).toMatch(/--join hubj_\w+/u)
    const { holder, joinKeys } = await hub.runPromise(
      Effect.gen(function* () {
        const holder = yield* (yield* Keys).byHash(hashCredential(key))
        return { holder, joinKeys: yield* (yield* JoinKeys).listByAccount(holder!.accountId) }
      })
    )
    expect(holder).toMatchObject({ plan: "pro", admin: false })
    expect(joinKeys).toMatchObject([{ maxUses: 1, uses: 0 }])
    expect(holder?.scopes).toEqual(
      "ide:read ide:control agent:read agent:control terminal:exec webhook:manage".split(" ")
    )
    expect(await shown()).toEqual([])
  })

  it("answers an account with its id, lower-cases its address and refuses it a second time", async () => {
    const name = newId("request")
    const email = `Someone.${name}@Example.com`
    const accountId = await account(email)
    expect(accountId).toMatch(/^acc_/u)
    const again = `someone.${name}@example.COM`
    expect(await refusal({ op: "account create", email: again, plan: "pro", admin: false })).toBe(
      `there is an account of ${again} already`
    )
    const { accounts } = (await done({ op: "account list" })) as unknown as { accounts: Array<{ accountId: string }> }
    expect(accounts.find((one) => one.accountId === accountId)).toMatchObject({
      email: email.toLowerCase(),
      plan: "free"
    })
    expect(JSON.stringify(accounts)).not.toContain("asswordHash")
    const wide = `ｓｏｍｅｏｎｅ.${name}@example.com`
    expect(await refusal({ op: "account create", email: wide, plan: "pro", admin: false })).toBe(
      `there is an account of ${wide} already`
    )
    expect(await refusal({ op: "account create", email: `${email} `, plan: "pro", admin: false })).toBe(
      "email: holds a blank, a control character or an invisible one"
    )
  })

  it("finds an account by id and by address, disables and enables it, moves it to another plan, and tells every node", async () => {
    const email = `${newId("request")}@example.com`
    const accountId = await account(email)
    told.length = 0
    await done({ op: "account disable", account: email })
    await done({ op: "account plan", account: accountId, plan: "ultra" })
    const stored = Effect.flatMap(Accounts, (accounts) => accounts.byId(accountId))
    expect(await hub.runPromise(stored)).toMatchObject({ disabled: true, plan: "ultra" })
    await done({ op: "account enable", account: accountId })
    expect(await hub.runPromise(stored)).toMatchObject({ disabled: false })
    const disabled = ["account_changed", "webhooks_changed", "account_disabled"]
    const topics = [...disabled, "account_changed", "account_changed", "webhooks_changed"]
    expect(told).toEqual(topics.map((topic) => [topic, { accountId }]))
  })

  it("keeps a password as an argon2id hash only, and refuses one that is too short", async () => {
    const accountId = await account()
    await done({ op: "account password", account: accountId, password: "a long password" })
    const matches = Effect.gen(function* () {
      const row = yield* (yield* Accounts).byId(accountId)
      expect(row?.passwordHash).toMatch(/^\$argon2id\$/u)
      return (yield* (yield* Passwords).check("a long password", Effect.succeed(row))).matches
    })
    expect(await hub.runPromise(matches)).toBe(true)
    expect(await refusal({ op: "account password", account: accountId, password: "short" })).toContain("password:")
  })

  it("ends every session of an account whose password is set anew, and tells every node", async () => {
    const [accountId, other] = [await account(), await account()]
    const session = { id: newId("session"), accountId, authTime: 1, createdAt: 1, expiresAt: 9e12 }
    const neighbour = { ...session, id: newId("session"), accountId: other }
    const sessions = await hub.runPromise(Sessions)
    for (const one of [session, neighbour]) await hub.runPromise(sessions.start(one))
    told.length = 0
    await done({ op: "account password", account: accountId, password: "a long password" })
    expect((await hub.runPromise(sessions.byId(session.id)))?.endedAt).toBeTypeOf("number")
    expect((await hub.runPromise(sessions.byId(neighbour.id)))?.endedAt).toBeNull()
    expect(told).toContainEqual(["session_ended", { sessionId: session.id }])
  })

  it("shows a key once, keeps its hash, lists it without either, and revokes it for ever", async () => {
    const accountId = await account()
    const request = { op: "key create", account: accountId, name: "ci", scopes: ["ide:read"], expiresAt: 4e12 } as const
    const { id, key, ...more } = await done(request)
    expect(isKey(key!)).toBe(true)
    expect(more).toEqual({})
    const list = await done({ op: "key list", account: accountId })
    expect(list["apiKeys"]).toMatchObject([
      { id, name: "ci", scopes: ["ide:read"], expiresAt: new Date(4e12).toISOString() }
    ])
    expect(JSON.stringify(list)).not.toContain(key!)
    expect(JSON.stringify(list)).not.toContain(hashCredential(key!))

    told.length = 0
    await done({ op: "key revoke", key: id! })
    expect(told).toEqual([["key_changed", { keyId: id }]])
    expect(await done({ op: "key list", account: accountId })).toEqual({ apiKeys: [] })
    expect(await refusal({ op: "key revoke", key: id! })).toContain("revoked already")
  })

  it("binds a key to a selector, shows what it is bound to, and refuses a scope of the whole account beside it", async () => {
    const accountId = await account()
    const request = { op: "key create", account: accountId, name: "part", selector: "env == prod" } as const
    const { id, key, ...more } = await done({ ...request, scopes: ["ide:read"] })
    expect(more).toEqual({ selector: "env=prod" })
    await done({ op: "key create", account: accountId, name: "whole", scopes: ["ide:read"] })
    const { apiKeys } = await done({ op: "key list", account: accountId })
    const shown = Object.fromEntries(
      (apiKeys as never as Array<Record<string, unknown>>).map((one) => [one["name"], one["selector"]])
    )
    expect(shown).toEqual({ part: "env=prod", whole: null })
    expect(await refusal({ ...request, scopes: ["webhook:manage"] })).toContain("webhook:manage")
    expect(await refusal({ ...request, scopes: ["ide:read"], selector: "env=," })).toContain("term 2")
  })

  it("adds an OAuth client with a secret that is shown once, lists it, and removes it with what it was granted", async () => {
    const redirectUris = ["https://app.example/callback"]
    const add = { op: "oauth client add", name: "An app", redirectUris } as const
    const { clientId, clientSecret } = await done({ ...add, secret: true })
    expect(await done({ ...add, secret: false })).not.toHaveProperty("clientSecret")
    const list = JSON.stringify(await done({ op: "oauth client list" }))
    expect(list).toContain(
      `"clientId":"${clientId}","name":"An app","redirectUris":["${redirectUris[0]}"],"secret":true`
    )
    for (const secret of [clientSecret!, hashCredential(clientSecret!)]) expect(list).not.toContain(secret)
    expect(await refusal({ ...add, redirectUris: ["http://app.example/"], secret: false })).toContain(
      "is no https address"
    )
    expect(await done({ op: "oauth client remove", client: clientId! })).toEqual({ clientId, disconnected: 0 })
  })

  it.each<AdminRequest>([
    { op: "oauth client remove", client: newId("oauthClient") },
    { op: "account disable", account: "acc_unknown" },
    { op: "account plan", account: "nobody@example.com", plan: "pro" },
    { op: "key create", account: newId("account"), name: "", scopes: ["ide:read"] },
    { op: "key revoke", key: newId("key") },
    { op: "token list", account: "" },
    { op: "token revoke", daemon: newId("daemon") }
  ])("refuses in words what does not exist: $op", async (request) =>
    expect(await refusal(request)).toMatch(/^there is no (?:account|key|daemon|OAuth client)/u)
  )
})
