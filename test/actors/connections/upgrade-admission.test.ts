/** The check of a token before the upgrade: how many at a time, what each outcome is, and who pays for the throttle. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Connections } from "../../../actors/connections/connections.ts"
import {
  makeUpgradeAdmission,
  type Refused,
  type Throttle,
  type UpgradePass
} from "../../../actors/connections/upgrade-admission.ts"
import { StoreFailed } from "../../../src/errors.ts"
import { lookUpRetryMillisMax, lookUpRetryMillisMin } from "../../../src/limits/drain.ts"
import {
  upgradesInCheckMax,
  upgradesInCheckPerAddressMax,
  wideSocketsMax,
  wideSocketsPerAccountMax
} from "../../../src/limits/sockets.ts"
import type { TokenOwner } from "../../../src/store/daemons/daemons.ts"
import { inWorld } from "../../support/with-daemon-services.ts"

type Owner = Effect.Effect<TokenOwner | undefined, StoreFailed>

const owner = (more: Partial<TokenOwner> = {}): TokenOwner => ({
  daemonId: "d",
  accountId: "a",
  plan: "pro",
  revoked: false,
  accountDisabled: false,
  tokenAt: 0,
  supersedes: false,
  nickname: "",
  ...more
})

const admissionOf = (find: (token: string) => Owner, throttle: Throttle = () => undefined) => {
  let refused = 0
  const busyMillis = () => 1_000 + ++refused
  const { check } = makeUpgradeAdmission({ owner: find, throttle, busyMillis, run: Effect.runFork })
  const outcomes: Array<UpgradePass | Refused> = []
  return { outcomes, check: (address = "192.0.2.1", token = "t") => check(token, address, (one) => outcomes.push(one)) }
}
const tags = (outcomes: ReadonlyArray<UpgradePass | Refused>) =>
  outcomes.map((one) => ("_tag" in one ? one._tag : "Pass"))

describe("an admission", () => {
  it.each([
    [undefined, "AuthInvalid"],
    [owner({ revoked: true }), "TokenRevoked"],
    [owner({ accountDisabled: true }), "AccountDisabled"],
    [owner({ accountDisabled: true, revoked: true }), "TokenRevoked"],
    [owner(), "Pass"]
  ])("says of %o: %s", (found, tag) => {
    const { check, outcomes } = admissionOf(() => Effect.succeed(found))
    check()
    expect(tags(outcomes)).toEqual([tag])
  })

  it("says that the store failed, also of a bug in the look-up", () => {
    const failing = admissionOf(() => Effect.fail(new StoreFailed({ operation: "x", cause: "away" })))
    const dying = admissionOf(() => Effect.die("a bug"))
    for (const { check, outcomes } of [failing, dying]) {
      check()
      expect(tags(outcomes)).toEqual(["StoreFailed"])
    }
  })

  it("charges the throttle for the daemon of a good token alone, and puts off who finds it full", () => {
    const charged: Array<string> = []
    const found: Array<TokenOwner | undefined> = [undefined, owner({ revoked: true }), owner({ daemonId: "d3" })]
    const { check, outcomes } = admissionOf(
      () => Effect.sync(() => found.shift()),
      (daemonId) => {
        charged.push(daemonId)
        return 1_234
      }
    )
    for (let n = 0; n < 3; n++) check()
    expect([charged, tags(outcomes)]).toEqual([["d3"], ["AuthInvalid", "TokenRevoked", "Overloaded"]])
    expect(outcomes[2]).toMatchObject({ retryAfter: 2, retryAfterMillis: 1_234 })
  })

  it("looks so many tokens up at a time, and so many of one address, with a time of its own for each that is refused; a look-up that is given up frees its place", () => {
    const { check, outcomes } = admissionOf(() => Effect.never)
    const given = Array.from({ length: upgradesInCheckPerAddressMax }, () => check())
    check()
    expect(tags(outcomes)).toEqual(["Overloaded"])
    for (let n = upgradesInCheckPerAddressMax; n < upgradesInCheckMax; n++) check(`198.51.${n >> 8}.${n & 255}`)
    expect(outcomes).toHaveLength(1)
    check("203.0.113.7")
    expect(outcomes).toMatchObject([{ retryAfterMillis: 1_001 }, { retryAfterMillis: 1_002 }])
    given[0]!()
    check("203.0.113.7")
    expect(outcomes).toHaveLength(2)
  })

  it("makes so many sockets of a node wide", () => {
    let account = 0
    const { check, outcomes } = admissionOf(() => Effect.sync(() => owner({ accountId: `a${account++}` })))
    for (let n = 0; n <= wideSocketsMax; n++) check()
    expect((outcomes as Array<UpgradePass>).map(({ wide }) => wide)).toEqual([
      ...Array.from({ length: wideSocketsMax }, () => true),
      false
    ])
  })

  it("makes four sockets of an account wide, and fewer of a later one: ten accounts leave some to others", () => {
    let accountId = ""
    const { check, outcomes } = admissionOf(() => Effect.sync(() => owner({ accountId })))
    const most = (account: string): number => {
      accountId = account
      const before = outcomes.length
      for (let n = 0; n < wideSocketsPerAccountMax + 1; n++) check()
      return (outcomes.slice(before) as Array<UpgradePass>).filter(({ wide }) => wide).length
    }
    expect(["a", "b", "c"].map(most)).toEqual(Array(3).fill(wideSocketsPerAccountMax))
    const later = ["d", "e", "f", "g", "h", "i", "j"].map(most)
    expect(later.every((held) => held >= 1)).toBe(true)
    expect(most("one more")).toBe(1)
  })
})

describe("upgrades beyond the bound of look-ups", () => {
  inWorld("are told to come back from one second on, none later than five", function* ({ enrol, store }) {
    store.hold = Effect.never
    const { check } = yield* Connections
    const told: Array<unknown> = []
    const { token } = enrol()
    // a node of the tests takes a million a second
    for (let n = 0; n < 5_000; n++) {
      if (n === upgradesInCheckPerAddressMax) expect(told).toEqual([])
      check(token, "203.0.113.7", (one) => told.push("retryAfterMillis" in one ? one.retryAfterMillis : one))
    }
    expect(told[0]).toBe(lookUpRetryMillisMin + 1)
    expect(told.at(-1)).toBe(lookUpRetryMillisMin + Math.ceil(told.length / 1_000))
    expect(told.at(-1)).toBeLessThanOrEqual(lookUpRetryMillisMax)
  })
})
