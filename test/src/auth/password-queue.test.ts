/** The line before the password checks: in which order they come, and who is refused when it is full. */
import { describe, expect, it } from "vitest"
import { PasswordQueue, type Waiter } from "../../../src/auth/password-queue.ts"
import { passwordAddressesMax, passwordChecksMax, passwordSpanMillis, passwordWaitersMax } from "../../../src/limits.ts"
import { fc, forAll } from "../../support/properties.ts"

const script = () => {
  let now = 0
  const line = new PasswordQueue(() => now)
  const started: Array<string> = []
  const refused: Array<string> = []
  const enter = (address: string, name = address): Waiter => {
    const one = { address, start: () => void started.push(name), refuse: () => void refused.push(name) }
    line.enter(one)
    return one
  }
  const pass = (millis: number) => {
    now += millis
  }
  /** Has so many of this address run and end. */
  const ran = (address: string, count: number) => {
    for (let nth = 0; nth < count; nth++) line.leave(enter(address))
    started.length = 0
  }
  const fill = () => Array.from({ length: passwordChecksMax }, (_, nth) => enter(`running ${nth}`))
  return { line, started, refused, enter, pass, ran, fill }
}

describe("password checks", () => {
  it(`run ${passwordChecksMax} at a time, and others of equal addresses in the order they came`, () => {
    const { line, started, enter, fill } = script()
    const running = fill()
    enter("a")
    enter("b")
    expect(started.length).toBe(passwordChecksMax)
    line.leave(running[0]!)
    line.leave(running[0]!)
    line.leave(running[1]!)
    expect(started.slice(passwordChecksMax)).toEqual(["a", "b"])
  })

  it("of an address that had fewer of late come first, and what counts of late is forgotten", () => {
    const { line, started, enter, ran, fill, pass } = script()
    ran("busy", 3)
    let running = fill()
    enter("busy")
    enter("quiet")
    for (const one of running) line.leave(one)
    expect(started.slice(passwordChecksMax)).toEqual(["quiet", "busy"])
    pass(passwordSpanMillis * 2)
    const again = script()
    again.ran("busy", 3)
    again.pass(passwordSpanMillis * 2)
    running = again.fill()
    again.enter("busy")
    again.enter("quiet")
    for (const one of running) again.line.leave(one)
    expect(again.started.slice(passwordChecksMax)).toEqual(["busy", "quiet"])
  })

  it(`wait ${passwordWaitersMax} at a time; for one more the newest of the address that had most is refused`, () => {
    const { started, refused, enter, fill } = script()
    fill()
    for (let nth = 0; nth < passwordWaitersMax; nth++) enter("busy", `busy ${nth}`)
    enter("busy", "one more")
    expect(refused).toEqual(["one more"])
    enter("quiet")
    expect(refused).toEqual(["one more", `busy ${passwordWaitersMax - 1}`])
    expect(started.length).toBe(passwordChecksMax)
  })

  it("that nobody waits for any more leave room", () => {
    const { line, refused, enter, fill } = script()
    fill()
    const waiting = Array.from({ length: passwordWaitersMax }, () => enter("a"))
    line.leave(waiting[0]!)
    enter("a")
    expect(refused).toEqual([])
  })

  it("of a new address find room beside any number of addresses that try without end", () =>
    forAll(20, fc.integer({ min: passwordWaitersMax, max: passwordWaitersMax * 4 }), (addresses) => {
      const { refused, enter, ran, fill } = script()
      for (let at = 0; at < addresses; at++) ran(`bot ${at}`, 2)
      fill()
      for (let at = 0; at < addresses; at++) enter(`bot ${at}`)
      enter("regular")
      expect(refused).not.toContain("regular")
    }))

  it("of a network that asks little wait two turns at most behind ever new addresses of another, and find room", () => {
    for (const rival of [(at: number) => `10.1.${at >> 8}.${at & 255}`, (at: number) => `2001:db8:${at}:1`]) {
      const { line, started, refused, enter, fill } = script()
      const running = fill()
      for (let at = 0; at < passwordWaitersMax; at++) enter(rival(at))
      enter("10.2.0.1")
      for (const one of running) line.leave(one)
      expect([started.slice(passwordChecksMax).includes("10.2.0.1"), refused.length]).toEqual([true, 1])
    }
  })

  it(`are counted for ${passwordAddressesMax} addresses; with more the oldest counts go`, () => {
    const { line, started, enter, ran, fill } = script()
    ran("busy", 3)
    ran("other", passwordAddressesMax)
    for (let nth = 0; nth < 2; nth++) {
      for (let at = 0; at <= passwordAddressesMax; at++) ran(`${nth} ${at}`, 1)
    }
    const running = fill()
    enter("busy")
    enter("quiet")
    for (const one of running) line.leave(one)
    expect(started.slice(passwordChecksMax)).toEqual(["busy", "quiet"])
  })
})
