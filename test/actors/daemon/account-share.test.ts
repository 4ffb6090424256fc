/** What one account with very many daemons may cost a node, beside others. */
import { expect, it } from "vitest"
import {
  type AccountShare,
  addDaemons,
  addKept,
  mayKeep,
  newShare,
  oweCost,
  takeCost,
  takeReport,
  takeResultCost,
  untilReport
} from "../../../actors/daemon/account-share.ts"
import { planLimits, plans } from "../../../src/domain/account/plans.ts"
import { frameCostMax, nodeCostMax, nodeCostPerSecond, nodeCostTurn } from "../../../src/limits/cost.ts"
import { keptReportsAllMax, keptReportsMax, keptReportsPerDaemon } from "../../../src/limits/reports.ts"
import { makeNodeCost } from "../../../src/runtime/node-cost.ts"
import { fc, forAll } from "../../support/properties.ts"

const seconds = 3
const stepMillis = 50

/** What an account costs whose daemons send frames, results and reports of such costs as often as they are read. */
const flood = (share: AccountShare, frame: number, report: number, now: number): number => {
  let cost = 0
  while (takeCost(share, frame, 0, now)) cost += frame
  while (takeResultCost(share, frame, now)) cost += frame
  while (untilReport(share, 1_000, now) === 0) {
    takeReport(share, 1_000, now)
    oweCost(share, report, now)
    cost += report
  }
  return cost
}

it("an account with as many daemons as a plan allows, all of which send what is dear gets its share of a node and no more, and who sends little is always read", () => {
  const given = fc.record({
    daemons: fc.constantFrom(...plans.map((plan) => planLimits[plan].daemons)),
    others: fc.integer({ min: 0, max: 7 }),
    frame: fc.integer({ min: 20_000, max: 4_000_000 }),
    report: fc.integer({ min: 20_000, max: frameCostMax })
  })
  forAll(60, given, ({ daemons, others, frame, report }) => {
    let now = 0
    const node = makeNodeCost(() => now)
    const kept = { weight: 0, daemons: 0 }
    const shareOf = (accountId: string, daemons: number) => ({ ...newShare(accountId, node, kept), daemons })
    const mine = shareOf("mine", 1)
    const floods = [daemons, ...Array.from({ length: others }, () => 20)].map((daemons, nth) => ({
      share: shareOf(`acc_${nth}`, daemons),
      cost: 0
    }))
    const part = (nodeCostPerSecond * stepMillis) / 1_000 / (floods.length + 1)
    for (; now < seconds * 1_000; now += stepMillis) {
      for (const one of floods) one.cost += flood(one.share, frame, report, now)
      expect(takeCost(mine, Math.floor(Math.min(nodeCostTurn, part) / 3), 0, now)).toBe(true)
    }
    const all = floods.reduce((sum, { cost }) => sum + cost, 0)
    // what they owe at the end
    const owed = nodeCostMax + floods.length * frameCostMax
    expect(all).toBeLessThanOrEqual(seconds * nodeCostPerSecond + owed)
  })
})

it("ten accounts whose reports weigh as much as may be kept leave room for those of another, which has its own for each daemon in any case", () => {
  const node = makeNodeCost(() => 0)
  const all = { weight: 0, daemons: 0 }
  const piece = 65_536
  const keep = (accountId: string, daemons: number): number => {
    const share = newShare(accountId, node, all)
    for (let nth = 0; nth < daemons; nth++) addDaemons(share, 1, 0)
    while (mayKeep(share, piece, 0)) addKept(share, piece)
    return share.kept
  }
  expect(keep("first", 1)).toBe(keptReportsMax + Math.floor(keptReportsPerDaemon / piece) * piece)
  for (let nth = 1; nth < 10; nth++) keep(`acc_${nth}`, 20)
  expect(all.weight).toBeLessThan(keptReportsAllMax)
  expect(keep("another", 1)).toBeGreaterThan(32 * piece)
  for (let nth = 0; nth < 40; nth++) keep(`more_${nth}`, 1)
  expect(keep("a fleet", 1_000)).toBeGreaterThanOrEqual(1_000 * keptReportsPerDaemon)
})
