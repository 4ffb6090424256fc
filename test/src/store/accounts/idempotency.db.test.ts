/** Outcomes kept under an idempotency key. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { type Beginning, Idempotency } from "../../../../src/store/accounts/idempotency.ts"
import { given } from "../../../support/given.ts"
import { useStore } from "../../../support/store-services.ts"

describe("keyed calls in the store", () => {
  const store = useStore(Idempotency.layer)
  const outcomes = store.using(Idempotency)

  const call = (extra: Partial<Beginning> = {}): Beginning => ({
    accountId: newId("account"),
    route: "POST /x",
    key: "k",
    bodyHash: Buffer.from("hash"),
    node: "a",
    now: 1_000,
    forgottenBefore: 0,
    ...extra
  })
  const begin = (beginning: Beginning) => outcomes((port) => port.begin(beginning))
  const kept = { status: 201, headers: [["location", "/x/1"]], body: '{"nul":"\\u0000"}' } as const

  given(call)("lets one of many who begin at once begin", async (one) => {
    const found = await outcomes((port) =>
      Effect.all(
        Array.from({ length: 8 }, () => port.begin(one)),
        { concurrency: 8 }
      )
    )
    expect(found.map(({ state }) => state).sort()).toEqual(["begun", ...Array(7).fill("running")])
    expect(found.find(({ state }) => state === "running")).toMatchObject({ bodyHash: one.bodyHash, startedAt: 1_000 })
  })

  given(call)("keeps accounts, routes and keys apart", async (one) => {
    await begin(one)
    for (const extra of [{ accountId: newId("account") }, { route: "POST /y" }, { key: "other" }])
      expect(await begin({ ...one, ...extra })).toEqual({ state: "begun" })
  })

  it("gives a kept outcome back as it was, with or without a body", async () => {
    const [full, bare] = [call(), call()]
    await begin(full)
    await begin(bare)
    await outcomes((port) => port.finish({ ...full, ...kept }))
    await outcomes((port) => port.finish({ ...bare, status: 503, headers: [], body: undefined }))
    expect(await begin(full)).toEqual({ state: "done", bodyHash: full.bodyHash, ...kept })
    expect(await begin(bare)).toMatchObject({ state: "done", status: 503, headers: [], body: undefined })
  })

  given(call)("tells that the body of an outcome was dropped, until another call begins under its key", async (one) => {
    await begin(one)
    await outcomes((port) => port.finish({ ...one, ...kept, body: undefined, bodyDropped: true }))
    expect(await begin(one)).toMatchObject({ state: "done", status: 201, body: undefined, bodyDropped: true })
    const later = { ...one, now: 3_000, forgottenBefore: 2_000 }
    await begin(later)
    await outcomes((port) => port.finish({ ...later, ...kept }))
    expect(await begin(later)).not.toHaveProperty("bodyDropped")
  })

  given(call)("finds what is there without beginning anything, and nothing of what is past its time", async (one) => {
    const find = (forgottenBefore = 0) => outcomes((port) => port.find({ ...one, forgottenBefore }))
    expect(await find()).toBeUndefined()
    expect(await find()).toBeUndefined()
    await begin(one)
    expect(await find()).toEqual({ state: "running", bodyHash: one.bodyHash, startedAt: one.now })
    await outcomes((port) => port.finish({ ...one, ...kept }))
    expect(await find()).toEqual({ state: "done", bodyHash: one.bodyHash, ...kept })
    expect(await find(one.now + 1)).toBeUndefined()
  })

  given(call)("lets only the node that runs a call finish or forget it", async (one) => {
    await begin(one)
    await outcomes((port) => port.finish({ ...one, ...kept, node: "b" }))
    await outcomes((port) => port.forget({ ...one, node: "b" }))
    expect(await begin(one)).toMatchObject({ state: "running" })
  })

  it("removes what began before, and nothing younger", async () => {
    await outcomes((port) => port.prune(12))
    const [old, young] = [call({ now: 10 }), call({ now: 11 })]
    await begin(old)
    await begin(young)
    expect(await outcomes((port) => port.prune(11))).toBe(1)
    expect(await begin(old)).toEqual({ state: "begun" })
    expect(await begin(young)).toMatchObject({ state: "running" })
  })
})
