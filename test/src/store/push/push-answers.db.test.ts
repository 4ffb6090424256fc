/** The store of the tokens of push messages: taken once, by a member, in time; and how many a browser may have. */
import { Layer } from "effect"
import { describe, expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { pushAnswersPerBrowserMax } from "../../../../src/limits/push.ts"
import { PushAnswers } from "../../../../src/store/push/push-answers.ts"
import { PushSubscriptions } from "../../../../src/store/push/push-subscriptions.ts"
import { useStore } from "../../../support/store-services.ts"

describe("the store of tokens of push messages", () => {
  const store = useStore(Layer.merge(PushAnswers.layer, PushSubscriptions.layer))
  const answers = store.using(PushAnswers)
  const scene = async () => {
    const accountId = await store.account()
    const personId = newId("person")
    await store.sql("insert into people (id, email, created_at) values ($1, $1, 1)", [personId])
    await store.sql(
      "insert into memberships (account_id, person_id, role, selector, since) values ($1, $2, 'operator', 'a=b', 1)",
      [accountId, personId]
    )
    const subscriptionId = newId("pushSubscription")
    const draft = { id: subscriptionId, personId, endpointHash: "h", origin: "o", sealed: "x", showsSubject: false }
    await store.using(PushSubscriptions)((port) => port.add(accountId, "pro", { ...draft, createdAt: 1 }))
    const keep = (...hashes: ReadonlyArray<string>) =>
      answers((port) =>
        port.keep(
          { approvalId: "apr", expiresAt: 100 },
          hashes.map((hash) => ({ hash, subscriptionId, decision: "approve" as const })),
          50
        )
      )
    return { accountId, personId, subscriptionId, keep, hash: (name: string) => `${accountId} ${name}` }
  }
  const take = (hash: string, now = 99) => answers((port) => port.take(hash, now))

  it("gives what a token answers to one taker, until it is over", async () => {
    const { accountId, personId, subscriptionId, keep, hash } = await scene()
    await keep(hash("1"), hash("2"))
    expect(await take(hash("1"), 100)).toBeUndefined()
    const both = await Promise.all([take(hash("1")), take(hash("1"))])
    const about = { accountId, personId, subscriptionId, approvalId: "apr", decision: "approve" }
    const person = { role: "operator", selector: "a=b", plan: "pro" }
    expect(both.filter((one) => one !== undefined)).toEqual([{ ...about, ...person }])
    expect(await answers((port) => port.prune(101))).toBeGreaterThanOrEqual(1)
    expect(await take(hash("2"))).toBeUndefined()
  })

  it("gives nothing of a browser or a person that is removed, or of an account that is disabled", async () => {
    for (const statement of [
      "delete from push_subscriptions where account_id = $1",
      "delete from memberships where account_id = $1",
      "update accounts set disabled = true where id = $1"
    ]) {
      const { accountId, keep, hash } = await scene()
      await keep(hash("1"))
      await store.sql(statement, [accountId])
      expect(await take(hash("1"))).toBeUndefined()
    }
  })

  it("keeps no further one of a browser that has many, until those are over", async () => {
    const { keep, hash, subscriptionId } = await scene()
    const many = Array.from({ length: pushAnswersPerBrowserMax }, (_, at) => hash(`${at}`))
    expect(await keep(...many)).toEqual(new Set(many))
    expect(await keep(hash("more"))).toEqual(new Set())
    await store.sql("update push_answers set expires_at = 50 where subscription_id = $1", [subscriptionId])
    expect(await keep(hash("more"))).toEqual(new Set([hash("more")]))
  })
})
