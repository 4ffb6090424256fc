/** Places of sockets whose token is not known: how many the library may hold of them, and who makes room. */
import { describe, expect, it } from "vitest"
import { UnauthenticatedSockets } from "../../../actors/connections/unauthenticated.ts"
import {
  closedByPeerPerAddressMax,
  closingMillisMax,
  heavyClosingMax,
  lightClosingMax,
  unauthenticatedMax,
  unauthenticatedProtectedMillis
} from "../../../src/limits/sockets.ts"
import { fc, forAll } from "../../support/properties.ts"

const heldMax = unauthenticatedMax + heavyClosingMax

describe("sockets", () => {
  it("are never held in greater number than the bound says, however they come and go", () => {
    const step = fc.record({
      address: fc.constantFrom("a", "b", "c", "d", "e", "f", "g"),
      does: fc.constantFrom("comes", "comes", "comes", "is refused", "leaves", "is cut"),
      which: fc.nat(unauthenticatedMax),
      pause: fc.integer({ min: 0, max: 2 * unauthenticatedProtectedMillis })
    })
    forAll(fc.array(step, { maxLength: 300 }), (steps) => {
      const sockets = new UnauthenticatedSockets<object>()
      const addresses = new Map<object, string>()
      let lingering: Array<number> = []
      let now = 0
      for (const { address, does, which, pause } of steps) {
        now += pause
        lingering = lingering.filter((until) => until > now)
        const one = sockets.all()[which]
        if (does === "comes" && sockets.admits(address, now)) {
          const other = sockets.evictee(address, now)
          if (other !== undefined) sockets.delete(other)
          const fresh = {}
          sockets.add(fresh, address, now)
          addresses.set(fresh, address)
        } else if (does !== "comes" && one !== undefined) {
          const of = addresses.get(one)!
          if (does === "leaves") sockets.closedByPeer(of, now)
          if (does === "leaves" || (does === "is refused" && sockets.mayCloseWithReason(of, "heavy", now)))
            lingering.push(now + closingMillisMax)
          sockets.delete(one)
        }
        expect(sockets.size).toBeLessThanOrEqual(unauthenticatedMax)
        expect(sockets.size + lingering.length).toBeLessThanOrEqual(heldMax)
      }
    })
  })

  it("of an address that left so many behind with a close frame wait until the library let go of these", () => {
    const sockets = new UnauthenticatedSockets<object>()
    for (let n = 0; n < closedByPeerPerAddressMax; n++) sockets.closedByPeer("a", 0)
    expect([sockets.admits("a", 0), sockets.admits("b", 0)]).toEqual([false, true])
    expect(sockets.admits("a", closingMillisMax)).toBe(true)
  })

  it("of an address to whose sockets the hub said why are let in all the same", () => {
    const sockets = new UnauthenticatedSockets<object>()
    for (let n = 0; n < heavyClosingMax; n++) sockets.mayCloseWithReason("a", "heavy", 0)
    expect(sockets.admits("a", 0)).toBe(true)
  })

  it.each([
    ["heavy", heavyClosingMax],
    ["light", lightClosingMax]
  ] as const)("that may be %s are told why so many at a time, the next ones are cut off", (weight, most) => {
    const sockets = new UnauthenticatedSockets<object>()
    const told = Array.from({ length: most + 1 }, () => sockets.mayCloseWithReason("a", weight, 0))
    expect(told).toEqual([...Array.from({ length: most }, () => true), false])
    expect(sockets.mayCloseWithReason("a", weight, closingMillisMax)).toBe(true)
  })
})
