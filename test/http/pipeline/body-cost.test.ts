/** What bodies cost: small ones nothing, large ones by their values, and one too many is refused for a while. */
import { expect, it } from "vitest"
import { makeBodyCost } from "../../../http/pipeline/body-cost.ts"
import type { WholeBody } from "../../../http/pipeline/request-parts.ts"
import {
  bodyCostBurst,
  bodyCostPerSecond,
  freeTextChars,
  nameCost,
  nodeCostMax,
  repairCost
} from "../../../src/limits/cost.ts"
import { makeNodeCost } from "../../../src/runtime/node-cost.ts"

const dense = (objects: number): string =>
  JSON.stringify(Array.from({ length: objects }, (_, nth) => ({ [`n${nth}`]: 0 })))
const bodyOf = (text: string): WholeBody => ({ kind: "whole", text })
const mine = { accountId: "acc_1" }
const caller = { client: { bucket: "192.0.2.1" } }

/** How many such bodies are taken at once. */
const taken = (text: string, principal = mine, now = () => 0): number => {
  const charge = makeBodyCost(now, makeNodeCost(now))
  let number = 0
  while (number < 1_000 && charge(bodyOf(text), principal, caller) === undefined) number++
  return number
}

it("bodies of many small values are refused where as many bytes of text are taken", () => {
  const text = dense(6_000)
  expect(taken(text)).toBeLessThan(bodyCostBurst / (6_000 * nameCost))
  expect(taken(JSON.stringify("x".repeat(text.length)))).toBe(1_000)
})

it("a body with an escape of half a character costs more, as it is looked through for such", () => {
  const text = "x".repeat(100_000)
  for (const whole of [text, String.raw`${text}\ud83d\ude00`]) expect(taken(`"${whole}"`)).toBe(1_000)
  expect(taken(String.raw`"${text}\ud83d"`)).toBeLessThan(bodyCostBurst / (text.length * (repairCost - 1)))
})

it("a small body is free, whatever it holds", () => expect(taken(dense(300).slice(0, freeTextChars))).toBe(1_000))

it("a refusal says when it is over, and then is; another account, or an address without one, has a budget of its own", () => {
  let now = 0
  const charge = makeBodyCost(
    () => now,
    makeNodeCost(() => now)
  )
  const text = dense(6_000)
  let refusal = charge(bodyOf(text), mine, caller)
  while (refusal === undefined) refusal = charge(bodyOf(text), mine, caller)
  expect(refusal).toMatchObject({ _tag: "RateLimited", limit: bodyCostPerSecond })
  for (const other of [{ accountId: "acc_2" }, { accountId: "" }])
    expect(charge(bodyOf(text), other, caller)).toBeUndefined()
  now = refusal.retryAfter * 1_000
  expect(charge(bodyOf(text), mine, caller)).toBeUndefined()
})

it("a refused body costs its scan, until the next is refused without one", () => {
  const charge = makeBodyCost(
    () => 0,
    makeNodeCost(() => 0)
  )
  const text = dense(6_000)
  let reads = 0
  // its length is read once, its characters only for a scan
  const body = (): WholeBody => ({
    kind: "whole",
    get text() {
      reads++
      return text
    }
  })
  const readsOf = Array.from({ length: 1_000 }, () => {
    reads = 0
    charge(body(), mine, caller)
    return reads
  })
  const scans = readsOf.filter((count) => count > 1).length
  expect(scans).toBeLessThanOrEqual(bodyCostBurst / text.length)
  expect(readsOf.at(-1)).toBe(1)
})

it("callers without an account, from however many addresses, owe a node together what one account may", () => {
  const node = makeNodeCost(() => 0)
  const charge = makeBodyCost(() => 0, node)
  const text = dense(400)
  for (let nth = 0; nth < 1_000; nth++)
    charge(bodyOf(text), { accountId: "" }, { client: { bucket: `2001:db8:0:${nth.toString(16)}` } })
  expect(node.all).toBeLessThanOrEqual(nodeCostMax / 2)
  expect(charge(bodyOf(text), mine, caller)).toBeUndefined()
})
