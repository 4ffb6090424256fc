/** People as members of accounts in the store: roles, invitations and service accounts, whoever comes at once. */
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { planLimits } from "../../../../src/domain/account/plans.ts"
import type { Role } from "../../../../src/domain/account/roles.ts"
import { newId } from "../../../../src/domain/ids.ts"
import { invitationsPerAccountMax, serviceAccountKeysMax } from "../../../../src/limits/people.ts"
import { Accounts } from "../../../../src/store/accounts/accounts.ts"
import { Keys } from "../../../../src/store/accounts/api-keys.ts"
import { type Accepting, Invitations } from "../../../../src/store/accounts/invitations.ts"
import { Members } from "../../../../src/store/accounts/members.ts"
import { People } from "../../../../src/store/accounts/people.ts"
import { ServiceAccounts } from "../../../../src/store/accounts/service-accounts.ts"
import { Sessions } from "../../../../src/store/accounts/sessions.ts"
import { databaseKind } from "../../../support/database.ts"
import { given } from "../../../support/given.ts"
import { useStore } from "../../../support/store-services.ts"
import { until } from "../../../support/until.ts"

const hashOf = (): string => Buffer.from(newId("key")).toString("hex")
/** How each of many ended: "done", or the name of its failure. */
const tagsOf = <A, E extends { readonly _tag: string }>(work: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.map(
    Effect.all(
      work.map((one) => Effect.match(one, { onSuccess: () => "done", onFailure: ({ _tag }) => _tag })),
      { concurrency: "unbounded" }
    ),
    (ended) => Object.groupBy(ended, (tag) => tag)
  )

describe("members in the store", () => {
  const store = useStore(
    Layer.mergeAll(Members.layer, Invitations.layer, People.layer, ServiceAccounts.layer, Keys.layer, Sessions.layer)
  )
  const members = store.using(Members)
  const invitations = store.using(Invitations)
  const people = store.using(People)
  const services = store.using(ServiceAccounts)

  /** A new account, with its owner. */
  const own = async () => {
    const accountId = await store.account()
    return { accountId, personId: accountId.replace("acc", "per") }
  }
  type Own = Awaited<ReturnType<typeof own>>
  const draft = ({ accountId, personId }: Own, role: Role, email = `${newId("person")}@example.org`) => ({
    ...{ id: newId("invitation"), accountId, email, emailKey: email, hash: hashOf(), role, selector: null },
    ...{ invitedBy: personId, createdAt: 1_000, expiresAt: 9_000 }
  })
  const invite = async (of: Own, role: Role, email?: string) => {
    const made = draft(of, role, email)
    await invitations((port) => port.add(made))
    return made
  }
  const accept = (hash: string, who: Accepting = { passwordHash: "h" }, now = 2_000) =>
    invitations((port) => port.accept(hash, who, now))
  const join = async (of: Own, role: Role) => (await accept((await invite(of, role)).hash))!.personId

  it("gives an account its owner, who signs in by the address and the password of the account", async () => {
    const { accountId, personId } = await own()
    const account = await store.using(Accounts)((port) => port.byId(accountId))
    expect(await people((port) => port.byEmail(account!.email))).toMatchObject({ id: personId, passwordHash: null })
    // as a node of the version before does
    await store.sql("update accounts set password_hash = 'h' where id = $1", [accountId])
    expect(await people((port) => port.byId(personId))).toMatchObject({ passwordHash: "h" })
    await people((port) => port.setPassword(personId, "other", accountId))
    expect((await store.using(Accounts)((port) => port.byId(accountId)))!.passwordHash).toBe("other")
    expect(await members((port) => port.list(accountId, 9))).toMatchObject([{ personId, role: "owner" }])
  })

  it("keeps one of two owners who leave, or step down, at once", async () => {
    for (const way of ["leave", "step down"] as const) {
      const one = await own()
      const other = await join(one, "owner")
      const both = [one.personId, other].map((personId) => {
        const of = { accountId: one.accountId, personId, by: personId }
        return Effect.flatMap(
          Members,
          (port): Effect.Effect<unknown, { readonly _tag: string }> =>
            way === "leave" ? port.remove(of, 5_000) : port.change(of, { role: "viewer" })
        )
      })
      const context = await store.run(Effect.context<Members>())
      const ended = await store.run(tagsOf(both.map((work) => Effect.provideContext(work, context))))
      expect(ended).toMatchObject({ done: ["done"], LastOwner: ["LastOwner"] })
    }
  })

  given(own)("lets a member change whom they do not rank below, to no more than they are", async (one) => {
    const [admin, viewer] = [await join(one, "admin"), await join(one, "viewer")]
    const change = async (by: string, personId: string, role: Role) => {
      const exit = await members((port) =>
        Effect.exit(Effect.asVoid(port.change({ accountId: one.accountId, personId, by }, { role })))
      )
      return Exit.isSuccess(exit) ? "done" : JSON.stringify(exit.cause)
    }
    expect(await change(admin, viewer, "admin")).toBe("done")
    expect(await change(viewer, viewer, "viewer")).toBe("done")
    for (const refused of [
      await change(admin, viewer, "owner"),
      await change(admin, one.personId, "viewer"),
      await change(viewer, viewer, "operator")
    ]) {
      expect(refused).toContain("RoleTooLow")
    }
    expect(await change(one.personId, (await own()).personId, "viewer")).toContain("NotFound")
  })

  given(own)("binds viewers and operators to daemons, and no administrator", async (one) => {
    const of = { accountId: one.accountId, personId: await join(one, "viewer"), by: one.personId }
    expect(await members((port) => port.change(of, { selector: "env=ci" }))).toMatchObject({ selector: "env=ci" })
    expect(await members((port) => Effect.flip(port.change(of, { role: "admin" })))).toMatchObject({
      issues: [{ path: "selector" }]
    })
    const freed = await members((port) => port.change(of, { role: "admin", selector: null }))
    expect(freed).toMatchObject({ role: "admin", selector: null })
  })

  it("ends a person's sessions and keys in the account with their membership, and no others; then the person", async () => {
    const [one, other] = [await own(), await own()]
    const personId = await join(one, "operator")
    const begin = async (of: { readonly accountId: string; readonly personId: string }) => {
      const [session, key] = [newId("session"), newId("key")]
      const times = { authTime: 1, createdAt: 1, expiresAt: 9e15 }
      await store.using(Sessions)((port) => port.start({ id: session, ...of, ...times }))
      const shape = { name: "", prefix: "", hash: hashOf(), scopes: [] as const, createdAt: 1, expiresAt: null }
      await store.using(Keys)((port) => port.insert({ id: key, ...of, ...shape }))
      return { session, key }
    }
    const [mine, theirs] = [await begin({ ...one, personId }), await begin(one)]
    const removed = await members((port) => port.remove({ accountId: one.accountId, personId, by: personId }, 5_000))
    expect(removed).toEqual({ sessionIds: [mine.session], keyIds: [mine.key] })
    expect(await store.using(Sessions)((port) => port.byId(theirs.session))).toMatchObject({ endedAt: null })
    expect(await people((port) => port.byId(personId))).toBeUndefined()
    expect(await people((port) => port.accountsOf(other.personId))).toHaveLength(1)
  })

  it("takes the account's address from a person who leaves it, also from nodes of the version before", async () => {
    const one = await own()
    const successor = await join(one, "owner")
    await people((port) => port.setPassword(one.personId, "h", one.accountId))
    await members((port) => port.remove({ ...one, by: successor }, 5_000))
    const [row] = await store.sql<object>(
      `select person_id as "personId", password_hash as hash from accounts where id = $1`,
      [one.accountId]
    )
    expect(row).toEqual({ personId: null, hash: null })
  })

  given(own)("accepts an invitation once, of many who accept at once", async (one) => {
    const { hash, email } = await invite(one, "viewer")
    const accepted = await invitations((port) =>
      Effect.all(
        Array.from({ length: 6 }, () => port.accept(hash, { passwordHash: "h" }, 2_000)),
        { concurrency: 6 }
      )
    )
    expect(accepted.filter((one) => one !== undefined)).toHaveLength(1)
    expect(await people((port) => port.byEmail(email))).toMatchObject({ vouched: false })
  })

  it("accepts none that is over, for another person, or of who may not invite to it any more", async () => {
    const [one, other] = [await own(), await own()]
    const admin = await join(one, "admin")
    const { hash } = await invite({ ...one, personId: admin }, "admin")
    expect(await accept(hash, { passwordHash: "h" }, 9_000)).toBeUndefined()
    expect(await accept(hash, { personId: other.personId })).toBeUndefined()
    expect(await accept(hashOf())).toBeUndefined()
    await members((port) => port.change({ ...one, personId: admin, by: one.personId }, { role: "viewer" }))
    expect(await invitations((port) => port.good(hash, 2_000))).toBeUndefined()
    expect(await accept(hash)).toBeUndefined()
    await members((port) => port.change({ ...one, personId: admin, by: one.personId }, { role: "admin" }))
    expect(await accept(hash)).toMatchObject({ role: "admin" })
  })

  given(own)("invites nobody who is a member, and to no more than the one who invites has", async (one) => {
    const operator = await join(one, "operator")
    const email = (await people((port) => port.byId(operator)))!.email
    const refusal = (made: ReturnType<typeof draft>) =>
      invitations((port) => Effect.map(Effect.flip(port.add(made)), ({ _tag }) => _tag))
    expect(await refusal(draft(one, "viewer", email))).toBe("AlreadyMember")
    expect(await refusal(draft({ ...one, personId: operator }, "viewer"))).toBe("RoleTooLow")
    expect(await refusal(draft({ ...one, personId: await join(one, "admin") }, "owner"))).toBe("RoleTooLow")
  })

  it("has never more people, waiting invitations and service accounts than allowed, under 50 calls at once", async () => {
    const one = await own()
    const { people: max, serviceAccounts } = planLimits.pro
    const add = () => Effect.flatMap(Invitations, (port) => port.add(draft(one, "viewer")))
    const context = await store.run(Effect.context<Invitations | ServiceAccounts>())
    const all = <E extends { readonly _tag: string }>(
      work: () => Effect.Effect<unknown, E, Invitations | ServiceAccounts>
    ) => store.run(tagsOf(Array.from({ length: 50 }, () => Effect.provideContext(work(), context))))
    const ended = await all(add)
    expect([ended["done"]?.length, ended["PeopleLimitReached"]?.length]).toEqual([max - 1, 51 - max])
    await store.sql("update accounts set plan = 'enterprise' where id = $1", [one.accountId])
    const more = [await all(add), await all(add)]
    const done = more.reduce((sum, each) => sum + (each["done"]?.length ?? 0), max - 1)
    expect(done).toBe(invitationsPerAccountMax)
    expect(more[1]).toHaveProperty("InvitationLimitReached")
    await store.sql("update accounts set plan = 'pro' where id = $1", [one.accountId])
    const shape = { name: "", role: null, scopes: [], selector: null, disabled: false, createdAt: 1 }
    const made = await all(() =>
      Effect.flatMap(ServiceAccounts, (port) =>
        port.add(one.accountId, { ...shape, id: newId("serviceAccount"), createdBy: one.personId })
      )
    )
    expect(made["done"]?.length).toBe(serviceAccounts)
  })

  it.skipIf(databaseKind === "embedded")("lets nobody act by a role that is lowered while they wait", async () => {
    const one = await own()
    const admin = { ...one, personId: await join(one, "admin") }
    const id = newId("serviceAccount")
    const shape = { name: "", role: null, scopes: [], selector: null, disabled: false, createdAt: 1 } as const
    const add = (draft: string) =>
      services((port) => port.add(one.accountId, { ...shape, id: draft, createdBy: admin.personId }))
    await add(id)
    const key = { ...{ id: newId("key"), accountId: one.accountId, name: "", prefix: "", hash: hashOf() }, scopes: [] }
    const rest = { createdAt: 1, expiresAt: null, serviceAccountId: id }
    const waits = () =>
      store.sql("select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()")
    const acts = [
      () => add(newId("serviceAccount")),
      () => store.using(Keys)((port) => port.insertOfService({ ...key, ...rest }, admin.personId)),
      () => invitations((port) => port.add(draft(admin, "viewer"))),
      () => services((port) => port.setDisabled(one.accountId, id, true, admin.personId))
    ]
    const lowering = (sql: SqlClient.SqlClient) =>
      Effect.gen(function* () {
        yield* sql`select 1 from accounts where id = ${one.accountId} for no key update`
        yield* sql`update memberships set role = 'viewer' where person_id = ${admin.personId}`
        const ended = Promise.allSettled(acts.map((act) => act()))
        yield* Effect.promise(() => until("all wait", async () => (await waits()).length === acts.length))
        return { ended }
      })
    const { ended } = await store.using(SqlClient.SqlClient)((sql) => sql.withTransaction(lowering(sql)))
    const refusals = (await ended).map((one) => (one.status === "rejected" ? String(one.reason) : "done"))
    expect(refusals).toEqual(acts.map(() => expect.stringContaining("RoleTooLow")))
  })

  it(`keeps ${serviceAccountKeysMax} live keys of a service account, and refuses them while it is disabled or gone`, async () => {
    const { accountId, personId } = await own()
    const id = newId("serviceAccount")
    const made = {
      id,
      name: "ci",
      role: "operator",
      scopes: ["ide:read"],
      selector: "env=ci",
      disabled: false
    } as const
    await services((port) => port.add(accountId, { ...made, createdBy: personId, createdAt: 1 }))
    const keys = store.using(Keys)
    const key = (expiresAt: number | null) => ({
      ...{ id: newId("key"), accountId, name: "", prefix: "", hash: hashOf(), scopes: ["ide:read"] as const },
      ...{ createdAt: 10, expiresAt, serviceAccountId: id }
    })
    const one = key(null)
    for (const draft of [one, key(10), key(20)]) await keys((port) => port.insertOfService(draft, personId))
    const refused = (by: string) => keys((port) => Effect.flip(port.insertOfService(key(null), by)))
    expect((await refused(personId))._tag).toBe("ServiceKeyLimitReached")
    const operator = await join({ accountId, personId }, "operator")
    expect((await refused(operator))._tag).toBe("RoleTooLow")
    expect((await services((port) => Effect.flip(port.remove(accountId, id, operator))))._tag).toBe("RoleTooLow")
    const owner = async () => (await keys((port) => port.byHash(one.hash)))!.owner
    expect(await owner()).toEqual({ kind: "service_account", id, scopes: ["ide:read"], selector: "env=ci" })
    await services((port) => port.setDisabled(accountId, id, true, personId))
    expect(await owner()).toEqual({ kind: "gone" })
    await services((port) => port.setDisabled(accountId, id, false, personId))
    const other = await own()
    expect(await services((port) => port.remove(other.accountId, id, other.personId))).toBe(false)
    expect(await services((port) => port.remove(accountId, id, personId))).toBe(true)
    expect(await owner()).toEqual({ kind: "gone" })
  })
})
