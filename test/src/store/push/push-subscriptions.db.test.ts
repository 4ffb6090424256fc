/** The store of push subscriptions: whose they are, how many there may be, and the one key pair. */
import { Layer } from "effect"
import { describe, expect, it } from "vitest"
import { planLimits } from "../../../../src/domain/account/plans.ts"
import { newId } from "../../../../src/domain/ids.ts"
import { pushSubscriptionsPerPersonMax } from "../../../../src/limits/push.ts"
import { Sessions } from "../../../../src/store/accounts/sessions.ts"
import { type PushSubscriptionDraft, PushSubscriptions } from "../../../../src/store/push/push-subscriptions.ts"
import { useStore } from "../../../support/store-services.ts"

describe("the store of push subscriptions", () => {
  const store = useStore(Layer.merge(PushSubscriptions.layer, Sessions.layer))
  const push = store.using(PushSubscriptions)
  const member = async (accountId: string, role: string): Promise<string> => {
    const id = newId("person")
    await store.sql("insert into people (id, email, created_at) values ($1, $2, 1)", [id, `${id}@example.com`])
    await store.sql(
      "insert into memberships (account_id, person_id, role, selector, since) values ($1, $2, $3, 'a=b', 1)",
      [accountId, id, role]
    )
    return id
  }
  let made = 0
  const draft = (personId: string, endpointHash = `hash ${made}`): PushSubscriptionDraft => {
    made++
    const id = newId("pushSubscription")
    return { id, personId, endpointHash, origin: "https://p.test", sealed: "x", showsSubject: false, createdAt: made }
  }
  const add = async (accountId: string, given: PushSubscriptionDraft) =>
    (await push((port) => port.add(accountId, "free", given))) && given.id
  const idsOf = async (accountId: string, personId: string) =>
    (await push((port) => port.list(accountId, personId))).map(({ id }) => id)

  it("are a person's in one account, and end with the membership", async () => {
    const [accountId, other] = [await store.account(), await store.account()]
    const [one, two] = [await member(accountId, "operator"), await member(accountId, "viewer")]
    const [first, second] = [draft(one), draft(two)]
    await add(accountId, first)
    await add(accountId, second)
    const { endpointHash: _, ...shown } = first
    expect(await push((port) => port.list(accountId, one))).toEqual([shown])
    expect(await idsOf(other, one)).toEqual([])
    // a viewer answers nothing, and is asked nothing
    expect(await push((port) => port.recipients(accountId))).toEqual([
      { id: first.id, origin: first.origin, sealed: "x", showsSubject: false, selector: "a=b" }
    ])
    expect(await push((port) => port.remove(accountId, two, first.id))).toBe(false)
    expect(await push((port) => port.remove(accountId, two, second.id))).toBe(true)
    await store.sql("delete from memberships where person_id = $1", [one])
    expect(await push((port) => port.recipients(accountId))).toEqual([])
  })

  it("end, in all accounts of a person, with their other sessions, and no other person's", async () => {
    const [accountId, second] = [await store.account(), await store.account()]
    const [one, two] = [await member(accountId, "operator"), await member(accountId, "operator")]
    await store.sql("insert into memberships (account_id, person_id, role, since) values ($1, $2, 'operator', 1)", [
      second,
      one
    ])
    await Promise.all([add(accountId, draft(one)), add(second, draft(one))])
    const other = await add(accountId, draft(two))
    await store.using(Sessions)((port) => port.endAll({ accountId, personId: one }, 2))
    expect(await Promise.all([idsOf(accountId, one), idsOf(second, one)])).toEqual([[], []])
    expect(await idsOf(accountId, two)).toEqual([other])
  })

  it("an endpoint has one in an account: the last, whose push service may forget it", async () => {
    const accountId = await store.account()
    const [one, two] = [await member(accountId, "owner"), await member(accountId, "owner")]
    await add(accountId, draft(one, "same"))
    const last = await add(accountId, draft(two, "same"))
    expect([await idsOf(accountId, one), await idsOf(accountId, two)]).toEqual([[], [last]])
    await push((port) => port.drop(String(last)))
    expect(await idsOf(accountId, two)).toEqual([])
  })

  it("a person's oldest make room for the newest, and a plan allows so many of all", async () => {
    const accountId = await store.account()
    const [one, two] = [await member(accountId, "owner"), await member(accountId, "owner")]
    const added: Array<unknown> = []
    for (let at = 0; at < pushSubscriptionsPerPersonMax + 2; at++)
      added.push(await add(accountId, draft(one, `o${at}`)))
    expect(await idsOf(accountId, one)).toEqual(added.slice(2))
    expect(planLimits.free.pushSubscriptions).toBe(pushSubscriptionsPerPersonMax)
    expect(await add(accountId, draft(two))).toBe(false)
    // none of those there were is lost by it, and one of the same endpoint takes its own place
    expect(await idsOf(accountId, one)).toEqual(added.slice(2))
    expect(await add(accountId, draft(two, "o5"))).not.toBe(false)
    expect(await idsOf(accountId, one)).toHaveLength(pushSubscriptionsPerPersonMax - 1)
  })

  it("of key pairs that nodes make at once one counts", async () => {
    const keep = (publicKey: string) => push((port) => port.keepKey({ publicKey, sealed: publicKey }))
    expect(await push((port) => port.key)).toBeUndefined()
    const both = await Promise.all([keep("a"), keep("b")])
    expect(both[0]).toEqual(both[1])
    expect(await push((port) => port.key)).toEqual(both[0])
  })
})
