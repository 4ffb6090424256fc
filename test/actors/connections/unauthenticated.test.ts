/** Places of sockets whose token is not known: how many the library may hold of them, and who makes room. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { UnauthenticatedSockets } from "../../../actors/connections/unauthenticated.ts"
import {
  departuresPerAddressMax,
  farewellMillisMax,
  heavyFarewellsMax,
  lightFarewellsMax,
  strangerPatienceMillis,
  strangersMax
} from "../../../src/limits/sockets.ts"

const heldMax = strangersMax + heavyFarewellsMax

describe("strangers", () => {
  it("are never held in greater number than the bound says, however they come and go", () => {
    const step = fc.record({
      address: fc.constantFrom("a", "b", "c", "d", "e", "f", "g"),
      does: fc.constantFrom("comes", "comes", "comes", "is refused", "leaves", "is cut"),
      which: fc.nat(strangersMax),
      pause: fc.integer({ min: 0, max: 2 * strangerPatienceMillis })
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const strangers = new UnauthenticatedSockets<object>()
        const addresses = new Map<object, string>()
        let lingering: Array<number> = []
        let now = 0
        for (const { address, does, which, pause } of steps) {
          now += pause
          lingering = lingering.filter((until) => until > now)
          const one = strangers.all()[which]
          if (does === "comes" && strangers.admits(address, now)) {
            const other = strangers.inTheWay(address, now)
            if (other !== undefined) strangers.delete(other)
            const fresh = {}
            strangers.add(fresh, address, now)
            addresses.set(fresh, address)
          } else if (does !== "comes" && one !== undefined) {
            const of = addresses.get(one)!
            if (does === "leaves") strangers.left(of, now)
            if (does === "leaves" || (does === "is refused" && strangers.maySayWhy(of, "heavy", now))) {
              lingering.push(now + farewellMillisMax)
            }
            strangers.delete(one)
          }
          expect(strangers.size).toBeLessThanOrEqual(strangersMax)
          expect(strangers.size + lingering.length).toBeLessThanOrEqual(heldMax)
        }
      })
    )
  })

  it("of an address that left so many behind with a close frame wait until the library let go of these", () => {
    const strangers = new UnauthenticatedSockets<object>()
    for (let n = 0; n < departuresPerAddressMax; n++) strangers.left("a", 0)
    expect([strangers.admits("a", 0), strangers.admits("b", 0)]).toEqual([false, true])
    expect(strangers.admits("a", farewellMillisMax)).toBe(true)
  })

  it("of an address to whose sockets the hub said why are let in all the same", () => {
    const strangers = new UnauthenticatedSockets<object>()
    for (let n = 0; n < heavyFarewellsMax; n++) strangers.maySayWhy("a", "heavy", 0)
    expect(strangers.admits("a", 0)).toBe(true)
  })

  it.each([
    ["heavy", heavyFarewellsMax],
    ["light", lightFarewellsMax]
  ] as const)("that may be %s are told why so many at a time, the next ones are cut off", (weight, most) => {
    const strangers = new UnauthenticatedSockets<object>()
    const told = Array.from({ length: most + 1 }, () => strangers.maySayWhy("a", weight, 0))
    expect(told).toEqual([...Array.from({ length: most }, () => true), false])
    expect(strangers.maySayWhy("a", weight, farewellMillisMax)).toBe(true)
  })
})
