/** Which requests a node keeps between two writes of the request log: bounded, the rest counted. */
import { describe, expect } from "vitest"
import { RequestShares } from "../../../actors/request-log/request-shares.ts"
import {
  loggedAccountsMax,
  loggedFailuresReserve,
  loggedPerFlushMax,
  loggedWaitingMax
} from "../../../src/limits/request-log.ts"
import { given } from "../../support/given.ts"

const successesMax = loggedPerFlushMax - loggedFailuresReserve

const collecting = () => {
  const shares = new RequestShares<number>()
  const offer = (accountId: string, number: number, failed = false): number => {
    let admitted = 0
    for (let nth = 0; nth < number; nth++) {
      if (!shares.admits(accountId, failed)) continue
      shares.add(accountId, nth)
      admitted++
    }
    return admitted
  }
  return { shares, offer }
}

describe("the requests of an account between two writes", () => {
  given(collecting)("are kept up to a bound that leaves room for failures, and counted beyond", ({ shares, offer }) => {
    expect(offer("a", 10_000)).toBe(successesMax)
    expect(offer("a", 10_000, true)).toBe(loggedFailuresReserve)
    expect(shares.take().map(({ kept, omitted }) => [kept.length, omitted])).toEqual([
      [loggedPerFlushMax, 20_000 - loggedPerFlushMax]
    ])
    expect(shares.size).toBe(0)
  })

  given(collecting)("take nothing from another account", ({ shares, offer }) => {
    offer("loud", 10_000)
    expect(offer("quiet", 3)).toBe(3)
    expect(shares.take().find(({ accountId }) => accountId === "quiet")).toMatchObject({ omitted: 0 })
  })

  given(collecting)("begin anew once they were taken", ({ shares, offer }) => {
    offer("a", 1_000)
    shares.take()
    expect(offer("a", 1_000)).toBe(successesMax)
    expect(shares.take()).toHaveLength(1)
    expect(shares.take()).toEqual([])
  })

  given(collecting)("that could not be written are told with the next one that is", ({ shares, offer }) => {
    shares.omit("a", 7)
    expect(shares.take()).toEqual([])
    offer("a", 1)
    shares.omit("a", 2)
    expect(shares.take()).toEqual([{ accountId: "a", kept: [0], omitted: 9 }])
  })
})

describe("the requests of all accounts between two writes", () => {
  given(collecting)(`are ${loggedWaitingMax} at most; of further ones the number is kept`, ({ shares, offer }) => {
    const full = loggedWaitingMax / successesMax
    for (let nth = 0; nth < full; nth++) expect(offer(`a${nth}`, successesMax)).toBe(successesMax)
    expect(shares.size).toBe(loggedWaitingMax)
    expect(offer("late", 5)).toBe(0)
    expect(offer("a0", 5, true)).toBe(0)
    shares.take()
    expect(offer("late", 1)).toBe(1)
    expect(shares.take()).toEqual([{ accountId: "late", kept: [0], omitted: 5 }])
  })

  given(collecting)(`are of ${loggedAccountsMax} accounts at most`, ({ shares }) => {
    for (let nth = 0; nth < loggedAccountsMax; nth++) shares.omit(`a${nth}`, 1)
    expect(shares.admits("one more", false)).toBe(false)
    shares.omit("one more", 1)
    expect(shares.admits("a0", false)).toBe(true)
  })
})
