/** How many requests a turn of the event loop deals with, and in which order those that were put off are. */
import { setImmediate as turn } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { postpone, takeBytes, takeShare } from "../../../http/native/requests-per-turn.ts"
import { bytesPerRequest, postponedPerTurnMax, requestsPerTurnMax } from "../../../src/limits/edge.ts"

let done: Array<string> = []
const wait = (address: string, times = 1): void => {
  for (let nth = 0; nth < times; nth++) postpone(address, () => done.push(address) > 0)
}
const shares = (): number => {
  let nth = 0
  while (takeShare()) nth++
  return nth
}
// a few requests of an earlier file may be counted still: too few for the look that begins a new count
beforeEach(async () => {
  shares()
  await turn()
})
afterEach(async () => {
  do {
    done = []
    await turn()
  } while (done.length > 0)
})

describe("a turn of the event loop", () => {
  it("deals with so many requests, and the next one with as many", async () => {
    for (let turns = 0; turns < 2; turns++) {
      expect(shares()).toBe(requestsPerTurnMax)
      await turn()
    }
  })

  it("deals with a bounded part of those that were put off, however many connections have one", async () => {
    wait("a", 10_000)
    for (let turns = 1; turns <= 4; turns++) {
      await turn()
      expect(done.length).toBe(turns * postponedPerTurnMax)
    }
  })

  it("leaves its share to new requests while others wait", async () => {
    wait("a", requestsPerTurnMax)
    await turn()
    expect(shares()).toBe(requestsPerTurnMax - postponedPerTurnMax)
  })
})

it("the bytes of answers count as requests of their turn", async () => {
  takeBytes(100 * bytesPerRequest)
  expect(shares()).toBe(requestsPerTurnMax - 100)
  await turn()
  expect(shares()).toBe(requestsPerTurnMax)
})

it("the bytes of answers end a turn of those that were put off, and leave new ones their share", async () => {
  const large = () =>
    done.push("large") > 0 && takeBytes(((postponedPerTurnMax - 2) / 2) * bytesPerRequest) === undefined
  for (let nth = 0; nth < 4; nth++) postpone("a", large)
  await turn()
  expect(done).toEqual(["large", "large"])
  expect(shares()).toBe(requestsPerTurnMax - postponedPerTurnMax)
})

it("requests that were put off are dealt with in turns by address: one of few is not behind all of one with many", async () => {
  wait("many", 10_000)
  wait("few")
  await turn()
  expect(done.indexOf("few")).toBe(1)
})

it("what was dealt with is not kept while more of its address waits", async () => {
  setFlagsFromString("--expose-gc")
  const collectGarbage = runInNewContext("gc") as () => void
  const kept = Array.from({ length: postponedPerTurnMax }, () => {
    const held = { done: false }
    postpone("a", () => {
      held.done = true
      return held.done
    })
    return new WeakRef(held)
  })
  wait("a", postponedPerTurnMax * 2)
  await turn()
  await turn()
  collectGarbage()
  expect(kept.filter((one) => one.deref() !== undefined)).toEqual([])
  expect(done.length).toBeLessThan(postponedPerTurnMax * 2)
})

it("requests that were put off are each dealt with once, in their order, beside those whose peer left or that fail", async () => {
  const order: Array<number> = []
  const gone = postponedPerTurnMax * 2
  for (let nth = 0; nth < gone; nth++) postpone("a", () => false)
  postpone("a", () => {
    throw new Error("a defect")
  })
  for (let nth = 0; nth < 3; nth++) postpone("a", () => order.push(nth) > 0)
  await turn()
  expect(order).toEqual([0, 1, 2])
  await turn()
  expect(order).toEqual([0, 1, 2])
})
