/** Accounts, sessions, identities and one-time codes as they are stored. */
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { codesMax, sessionsMax } from "../../../../src/limits.ts"
import { Accounts } from "../../../../src/store/accounts/accounts.ts"
import { Identities } from "../../../../src/store/accounts/identities.ts"
import { LoginCodes } from "../../../../src/store/accounts/login-codes.ts"
import { People } from "../../../../src/store/accounts/people.ts"
import { Sessions, type SignedInBy } from "../../../../src/store/accounts/sessions.ts"
import { given } from "../../../support/given.ts"
import { useStore } from "../../../support/store-services.ts"

const hashOf = (): string => Buffer.from(newId("key")).toString("hex")

describe("people in the store", () => {
  const store = useStore(Layer.mergeAll(Identities.layer, LoginCodes.layer, Sessions.layer, People.layer))
  const accounts = store.using(Accounts)
  const sessions = store.using(Sessions)
  const identities = store.using(Identities)
  const codes = store.using(LoginCodes)
  const people = store.using(People)

  /** The account, with the person whose it is. */
  const own = async () => {
    const accountId = await store.account()
    return { accountId, personId: (await accounts((port) => port.byId(accountId)))!.personId! }
  }

  const draft = (email: string) =>
    ({ id: newId("account"), email, passwordHash: "hash", plan: "free", admin: false, createdAt: 5 }) as const

  /** A new session, as it was begun. */
  const begin = async (accountId: string, createdAt = 1) => {
    const session = { id: newId("session"), accountId, authTime: createdAt, createdAt, expiresAt: 9e15 }
    return { ...session, gone: await sessions((port) => port.start(session)) }
  }

  it("finds an account by id, and by its address whatever the case", async () => {
    const name = newId("request")
    const ada = draft(`Ada.${name}@Example.com`)
    expect(await accounts((port) => port.create(ada))).toBe(true)
    const personId = ada.id.replace("acc", "per")
    const stored = { ...ada, personId, email: `ada.${name}@example.com`, disabled: false, vouched: true }
    expect(await accounts((port) => port.byId(ada.id))).toEqual(stored)
    expect(await accounts((port) => port.byEmail(`ADA.${name}@example.COM`))).toEqual(stored)
  })

  it("refuses a second account under one address, in any case", async () => {
    const name = newId("request")
    expect(await accounts((port) => port.create(draft(`twin.${name}@example.com`)))).toBe(true)
    expect(await accounts((port) => port.create(draft(`TWIN.${name}@example.com`)))).toBe(false)
  })

  it("answers an unknown or malformed id with nothing", async () => {
    expect(await accounts((port) => port.byId(newId("account")))).toBeUndefined()
    expect(await accounts((port) => port.byId("acc_'; drop table accounts"))).toBeUndefined()
    expect(await accounts((port) => port.setPlan(newId("account"), "pro"))).toBe(false)
    expect(await accounts((port) => port.setPlan("junk", "pro"))).toBe(false)
  })

  it("changes plan, password, administrator and disabled, and nothing of a neighbour", async () => {
    const [{ accountId: one, personId }, other] = [await own(), await store.account()]
    const before = await accounts((port) => port.byId(other))
    await accounts((port) => port.setPlan(one, "ultra"))
    await people((port) => port.setPassword(personId, "new hash", one))
    await accounts((port) => port.setAdmin(one, true))
    await accounts((port) => port.setDisabled(one, true))
    expect(await accounts((port) => port.byId(one))).toMatchObject({
      plan: "ultra",
      passwordHash: "new hash",
      admin: true,
      disabled: true
    })
    expect(await accounts((port) => port.byId(other))).toEqual(before)
  })

  it("lists accounts oldest first and counts them", async () => {
    await store.account()
    const all = await accounts((port) => port.list(1_000))
    expect(await accounts((port) => port.count)).toBe(all.length)
    expect(all.map(({ createdAt }) => createdAt)).toEqual(all.map(({ createdAt }) => createdAt).sort((a, b) => a - b))
  })

  it(`keeps ${sessionsMax} sessions of an account: those that are over go first, then the oldest, whoever begins one at once`, async () => {
    const { accountId, personId } = await own()
    const start = (createdAt: number) => begin(accountId, createdAt)
    const oldest = await start(1)
    const over = await start(2)
    await sessions((port) => port.end(over.id, 3))
    const foreign = { id: newId("session"), accountId, authTime: 1, createdAt: 1, expiresAt: 9e15 }
    await sessions((port) => port.recordEnded(foreign, 1))
    const more = await Promise.all(Array.from({ length: sessionsMax - 1 }, () => start(5)))
    expect(more.flatMap(({ gone }) => gone)).toEqual([])
    expect(await sessions((port) => port.byId(over.id))).toBeUndefined()
    expect((await start(6)).gone).toEqual([oldest.id])
    expect(await sessions((port) => port.byId(foreign.id))).toMatchObject({ endedAt: 1 })
    const late = await Promise.all(Array.from({ length: 10 }, () => start(7)))
    expect(new Set(late.flatMap(({ gone }) => gone)).size).toBe(10)
    const living = await sessions((port) => port.endAll({ accountId, personId }, 8))
    expect(living.length).toBe(sessionsMax)
  })

  it("counts a refresh once, of many that ask at once, and none of a session that is over", async () => {
    const accountId = await store.account()
    const session = await begin(accountId)
    const counted = await sessions((port) =>
      Effect.all(
        Array.from({ length: 6 }, () => port.refreshed(session.id, 0, 50)),
        { concurrency: 6 }
      )
    )
    expect(counted.filter((one) => one).length).toBe(1)
    expect(await sessions((port) => port.byId(session.id))).toMatchObject({ generation: 1, refreshedAt: 50 })
    await sessions((port) => port.end(session.id, 60))
    expect(await sessions((port) => port.refreshed(session.id, 1, 70))).toBe(false)
  })

  it(`keeps ${codesMax} one-time codes of a person in an account, those that last longest, and all others`, async () => {
    const [mine, theirs] = [await store.account(), await store.account()]
    const add = async (accountId: string, personId: string | null, expiresAt: number) => {
      const hash = hashOf()
      await codes((port) => port.add(hash, { accountId, personId, authTime: 7, challenge: null }, expiresAt))
      return hash
    }
    const [one, another] = [newId("person"), newId("person")]
    const others = [await add(theirs, one, 1_000), await add(mine, another, 1_000), await add(mine, null, 1_000)]
    const first = await add(mine, one, 1_000)
    const rest = await Promise.all(Array.from({ length: codesMax }, (_, nth) => add(mine, one, 2_000 + nth)))
    expect(await codes((port) => port.take(first, 500))).toBeUndefined()
    for (const hash of [...rest, ...others]) expect(await codes((port) => port.take(hash, 500))).toBeDefined()
  })

  given(store.account)("reads a session with what its account says, and ends it once", async (accountId) => {
    const session = { id: newId("session"), accountId, authTime: 1_000, createdAt: 1_000, expiresAt: 9_000 }
    await sessions((port) => port.start(session))
    const holder = {
      ...session,
      endedAt: null,
      generation: 0,
      refreshedAt: null,
      plan: "pro",
      admin: false,
      accountDisabled: false,
      member: { personId: accountId.replace("acc", "per"), role: "owner", selector: null }
    }
    expect(await sessions((port) => port.byId(session.id))).toEqual(holder)
    expect(await sessions((port) => port.end(session.id, 2_000))).toBe(true)
    expect(await sessions((port) => port.end(session.id, 3_000))).toBe(false)
    expect(await sessions((port) => port.byId(session.id))).toMatchObject({ endedAt: 2_000, expiresAt: 9_000 })
  })

  it("ends every living session of a person but one that is named, and no other's", async () => {
    const [mine, theirs] = [await own(), await own()]
    const begun = async ({ accountId }: typeof mine) => (await begin(accountId)).id
    const ids = [await begun(mine), await begun(mine)]
    const [kept, other] = [await begun(mine), await begun(theirs)]
    expect([...(await sessions((port) => port.endAll(mine, 7, kept)))].sort()).toEqual(ids.sort())
    expect(await sessions((port) => port.endAll(mine, 7))).toEqual([kept])
    expect(await sessions((port) => port.endAll(mine, 8))).toEqual([])
    expect(await sessions((port) => port.byId(other))).toMatchObject({ endedAt: null })
  })

  it("starts no session by a password that was replaced, nor beside a session that has ended, also when all come at once", async () => {
    const mine = await own()
    const times = { authTime: 1, createdAt: 1, expiresAt: 9e15 }
    const setPassword = (hash: string) => people((port) => port.setPassword(mine.personId, hash, mine.accountId))
    const start = async (by: SignedInBy) => {
      const session = { id: newId("session"), ...mine, ...times }
      const gone = await sessions((port) => port.start(session, by))
      const found = await sessions((port) => port.byId(session.id))
      expect(found === undefined, "it is stored if it is started").toBe(gone === undefined)
      return { id: session.id, isStarted: gone !== undefined }
    }
    const lives = async (id: string) => (await sessions((port) => port.byId(id)))?.endedAt === null
    for (let nth = 0; nth < 6; nth++) {
      const by = { passwordHash: `hash ${nth}` }
      await setPassword(by.passwordHash)
      const first = await start(by)
      expect(await lives(first.id)).toBe(true)
      const replaced = setPassword("another").then(() => sessions((port) => port.endAll(mine, 7)))
      const begun = await Promise.all([start(by), start({ sessionId: first.id }), replaced])
      for (const one of [begun[0], begun[1]]) expect(await lives(one.id)).toBe(false)
      for (const late of [by, { sessionId: first.id }]) expect((await start(late)).isStarted).toBe(false)
    }
  })

  it("gives signing keys newest first, as many as asked for", async () => {
    await sessions((port) => port.pruneSigningKeys(9_000))
    const key = (createdAt: number) => ({ kid: newId("key"), sealed: "v1.sealed", createdAt })
    const [first, second, third] = [key(1_000), key(2_000), key(3_000)]
    for (const one of [second, third, first]) await sessions((port) => port.addSigningKey(one))
    expect(await sessions((port) => port.signingKeys(2))).toEqual([third, second])
    expect(await sessions((port) => port.pruneSigningKeys(2_000))).toBe(1)
    expect(await sessions((port) => port.signingKeys(9))).toEqual([third, second])
  })

  it("ties an identity to the first person that asks, also when two ask at once", async () => {
    const [one, other] = [await own(), await own()]
    const identity = { issuer: "https://id.example.com", subject: newId("key") }
    expect(await identities((port) => port.find(identity))).toBeUndefined()
    const linked = await identities((port) =>
      Effect.all([port.link(identity, one, 1), port.link(identity, other, 1)], { concurrency: 2 })
    )
    expect(linked[0]).toBe(linked[1])
    expect(await identities((port) => port.find(identity))).toBe(linked[0])
    expect(await identities((port) => port.find({ ...identity, issuer: "https://else.example.com" }))).toBeUndefined()
  })

  given(store.account)("gives a one-time code to one of many who ask at once", async (accountId) => {
    const hash = hashOf()
    await codes((port) => port.add(hash, { accountId, authTime: 7, challenge: null }, 1_000))
    const takers = await codes((port) =>
      Effect.all(
        Array.from({ length: 6 }, () => port.take(hash, 500)),
        { concurrency: 6 }
      )
    )
    expect(takers.filter((taken) => taken !== undefined)).toEqual([
      { accountId, personId: null, authTime: 7, challenge: null }
    ])
  })

  given(store.account)("gives nothing for a one-time code that has expired", async (accountId) => {
    const [late, pruned] = [hashOf(), hashOf()]
    await codes((port) => port.add(late, { accountId, authTime: 7, challenge: null }, 1_000))
    await codes((port) => port.add(pruned, { accountId, authTime: 7, challenge: null }, 1_000))
    expect(await codes((port) => port.take(late, 1_000))).toBeUndefined()
    expect(await codes((port) => port.prune(1_001))).toBe(1)
    expect(await codes((port) => port.take(pruned, 0))).toBeUndefined()
  })
})
