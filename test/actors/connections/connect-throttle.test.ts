/** How a crowd is let in: rate and burst hold, who is put off comes back spread, and its time is kept for it. */
import { describe, expect, it } from "vitest"
import { ConnectThrottle, DaemonThrottle, RetrySchedule } from "../../../actors/connections/connect-throttle.ts"
import {
  connectBurstShare,
  connectEarlyMillisMax,
  connectReservationMillis,
  connectReservationsMax,
  connectRetryMillisMax,
  connectRetryMillisMin,
  unauthenticatedRetryMillisMax,
  unauthenticatedRetryMillisMin
} from "../../../src/limits/drain.ts"
import { Random } from "../../simulation/seeded-random.ts"
import { fc, forAll } from "../../support/properties.ts"

const rate = 1_000
const burst = rate * connectBurstShare

/** So many, each a daemon of its own, now. What each is told. */
const crowd = (throttle: ConnectThrottle, count: number, now: number, name = "d") =>
  Array.from({ length: count }, (_, at) => throttle.take(`${name}${at}`, now))
const takenOf = (told: ReadonlyArray<number | undefined>) => told.filter((afterMs) => afterMs === undefined).length
/** Full at 0; the first moment of its line is reserved. */
const full = (perSecond = rate): ConnectThrottle => {
  const throttle = new ConnectThrottle(perSecond, 0)
  while (throttle.take("first", 0) === undefined);
  return throttle
}

describe("a connect throttle", () => {
  const moves = fc.array(fc.tuple(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 40 })), {
    minLength: 1,
    maxLength: 200
  })

  it("takes no more in any time than its rate, one burst, and the reservations that are due", () =>
    forAll(fc.integer({ min: 1, max: 50 }), moves, (perSecond, all) => {
      const throttle = new ConnectThrottle(perSecond, 0)
      const due = (perSecond * (connectReservationMillis + connectEarlyMillisMax)) / 1_000 + 1
      const bound = Math.max(1, perSecond * connectBurstShare) + due + 1e-6
      const taken: Array<number> = []
      let now = 0
      for (const [pause, daemon] of all) {
        // most come in one crowd with the one before
        now += pause < 1_500 ? 0 : pause
        if (throttle.take(`d${daemon}`, now) === undefined) taken.push(now)
      }
      for (const [from, first] of taken.entries()) {
        for (let to = from; to < taken.length; to++)
          expect(to - from + 1).toBeLessThanOrEqual(bound + (perSecond * (taken[to]! - first)) / 1_000)
      }
    }))

  it("takes all that are due and one burst at the very worst, and then nobody else until it has made up for it", () => {
    const throttle = full()
    const told = crowd(throttle, 10_000, 0)
    const at = connectReservationMillis + connectRetryMillisMin
    const back = told.flatMap((afterMs, nth) => (afterMs! <= at + connectEarlyMillisMax ? [`d${nth}`] : []))
    const newcomers = crowd(throttle, burst + 1, at, "n")
    expect(takenOf(newcomers)).toBe(burst)
    const due = rate * ((connectReservationMillis + connectEarlyMillisMax) / 1_000)
    expect(back.map((daemon) => throttle.take(daemon, at)).every((afterMs) => afterMs === undefined)).toBe(true)
    expect(back.length).toBe(due)
    // the bucket has its first again once all these are paid back, and a new one is told no moment before that
    expect(throttle.take("next", at)).toBe(due + 1)
    expect(throttle.take("late", at + due)).toBeGreaterThan(0)
    expect(throttle.take("later", at + due + 1)).toBeUndefined()
  })

  it("never puts off who keeps below its rate", () => {
    const throttle = new ConnectThrottle(100, 0)
    for (let now = 0; now < 10_000; now += 10) expect(throttle.take(`d${now}`, now)).toBeUndefined()
  })

  it("tells each of a crowd a later time than the one before, and takes all who keep to theirs", () => {
    const throttle = new ConnectThrottle(rate, 0)
    const told = crowd(throttle, 10_000, 0)
    expect(takenOf(told)).toBe(burst)
    expect(told.slice(burst)).toEqual(Array.from({ length: 10_000 - burst }, (_, at) => connectRetryMillisMin + at))
    for (const [at, afterMs] of told.entries()) {
      if (afterMs !== undefined) expect(throttle.take(`d${at}`, afterMs)).toBeUndefined()
    }
    expect(throttle.reservations).toBe(0)
  })

  it("takes whoever keeps to its time, up to the end of its reservation, whatever others do meanwhile", () => {
    const late = fc.integer({ min: 0, max: connectReservationMillis - 1 })
    const others = fc.array(fc.tuple(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 1, max: 50 })), {
      maxLength: 60
    })
    forAll(
      fc.integer({ min: 2, max: 50 }),
      fc.array(late, { minLength: 1, maxLength: 80 }),
      others,
      (perSecond, own, came) => {
        const throttle = full(perSecond)
        const visits = own.map((lateness, at) => {
          const told = throttle.take(`d${at}`, 0)!
          return { at: told + lateness, daemon: `d${at}`, mayFail: told === connectRetryMillisMax }
        })
        for (const [at, count] of came) {
          for (let nth = 0; nth < count; nth++) visits.push({ at, daemon: `n${at}-${nth}`, mayFail: true })
        }
        visits.sort((a, b) => a.at - b.at)
        for (const { at, daemon, mayFail } of visits) {
          const told = throttle.take(daemon, at)
          if (!mayFail) expect(told).toBeUndefined()
        }
      }
    )
  })

  it("tells one that asks again before its time the rest of the same wait, and the line gets no longer", () => {
    const [asked, calm] = [full(), full()]
    const first = crowd(asked, 2_000, 0).at(-1)!
    crowd(calm, 2_000, 0)
    for (let now = 0; now < first - connectEarlyMillisMax; now += 7) {
      // its token is taken by others, as it would be in a crowd
      for (let nth = 0; nth < 7; nth++) for (const throttle of [asked, calm]) throttle.take(`n${now}-${nth}`, now)
      expect(asked.take("d1999", now)).toBe(first - now)
    }
    const at = first - connectEarlyMillisMax
    expect(asked.take("last", at)).toBe(calm.take("last", at))
    expect(asked.take("d1999", at)).toBeUndefined()
  })

  it("takes one that asks before its time where anybody would be taken, and its reservation is used up", () => {
    const throttle = full()
    const told = crowd(throttle, 2_000, 0)
    expect(told[1_999]).toBeGreaterThan(1_000)
    expect(throttle.take("d1999", 1_000)).toBeUndefined()
    expect(throttle.reservations).toBe(2_000)
    expect(takenOf(crowd(throttle, burst, 1_000, "n"))).toBe(burst - 1)
    expect(throttle.take("d1999", 1_000)).toBeGreaterThan(1_000)
  })

  it("lets others have the place of one that does not come, at once", () => {
    const throttle = full()
    crowd(throttle, 5_000, 0)
    let taken = 0
    for (let now = 1; now <= 5_000; now++) taken += takenOf(crowd(throttle, 2, now, `n${now}-`))
    expect(taken).toBe(5_000)
  })

  it("has 10,000 that are cut off at once back in 10 s, nearly all put off once, though their own backoff doubles", () => {
    const [throttle, random] = [new ConnectThrottle(rate, 0), new Random(1)]
    const due = new Map<number, Array<{ readonly id: string; readonly tries: number }>>()
    const comes = (at: number, id: string, tries: number): void => {
      due.set(at, [...(due.get(at) ?? []), { id, tries }])
    }
    for (let at = 0; at < 10_000; at++) comes(random.below(1_000), `d${at}`, 1)
    let [putOff, last] = [0, 0]
    for (let now = 0; due.size > 0; now++) {
      for (const { id, tries } of due.get(now) ?? []) {
        const afterMs = throttle.take(id, now)
        last = now
        if (afterMs === undefined) continue
        putOff++
        comes(now + Math.max(afterMs, random.below(1_000 * 2 ** tries)), id, tries + 1)
      }
      due.delete(now)
    }
    expect(last).toBeLessThan(10_000)
    expect(putOff).toBeLessThan(10_000)
  })

  it("puts nobody off for longer than a minute, and keeps no time for one beyond it", () => {
    const throttle = full(1)
    const told = crowd(throttle, 1_000, 0)
    const line = told.filter((afterMs) => afterMs! < connectRetryMillisMax).length
    expect(Math.max(...told.map((afterMs) => afterMs!))).toBe(connectRetryMillisMax)
    expect(throttle.reservations).toBeLessThanOrEqual(line + 2)
    expect(takenOf(crowd(throttle, 1, connectRetryMillisMax))).toBe(1)
    expect(throttle.take("d999", connectRetryMillisMax)).toBeGreaterThan(0)
  })

  it("forgets the line once its last time has passed", () => {
    const throttle = new ConnectThrottle(rate, 0)
    crowd(throttle, 5_000, 0)
    expect(throttle.reservations).toBe(5_000 - burst)
    const told = crowd(throttle, burst + 1, 60_000, "n")
    expect(takenOf(told)).toBe(burst)
    expect(told.at(-1)).toBe(connectRetryMillisMin)
    expect(throttle.reservations).toBe(1)
  })

  it("forgets a reservation once it is kept no longer: its daemon is a new one then", () => {
    const throttle = full()
    const [first, second] = crowd(throttle, 2, 0)
    expect(second).toBe(first! + 1)
    const at = first! + connectReservationMillis + 1
    crowd(throttle, burst, at, "n")
    expect(throttle.take("d0", at)).toBe(connectRetryMillisMin)
    expect(throttle.take("d1", at)).toBeUndefined()
  })

  it("keeps so many reservations; who is beyond is told its moment all the same", () => {
    const perSecond = 2 * rate
    const throttle = full(perSecond)
    const told = crowd(throttle, connectReservationsMax + 1, 0)
    expect(throttle.reservations).toBe(connectReservationsMax)
    const [kept, beyond] = [told.at(-3)!, told.at(-1)!]
    expect([kept, beyond]).toEqual(
      [told[0]! + (connectReservationsMax - 2) / 2, told[0]! + connectReservationsMax / 2].map(Math.ceil)
    )
    expect(beyond).toBeLessThan(connectRetryMillisMax)
    crowd(throttle, perSecond * connectBurstShare, beyond, "n")
    expect(throttle.take(`d${connectReservationsMax - 2}`, beyond)).toBeUndefined()
    expect(throttle.take(`d${connectReservationsMax}`, beyond)).toBeGreaterThan(0)
  })
})

it("the schedule of connections beyond the bound of unauthenticated sockets comes back one after the other, none later than who holds a place now may keep it", () => {
  const line = new RetrySchedule(1_000, unauthenticatedRetryMillisMin, unauthenticatedRetryMillisMax)
  const told = Array.from({ length: 2 * unauthenticatedRetryMillisMax }, () => line.next(0))
  const places = unauthenticatedRetryMillisMax - unauthenticatedRetryMillisMin
  expect(told.slice(0, places)).toEqual(
    Array.from({ length: places }, (_, at) => unauthenticatedRetryMillisMin + 1 + at)
  )
  expect(new Set(told.slice(places))).toEqual(new Set([unauthenticatedRetryMillisMax]))
  expect(line.next(unauthenticatedRetryMillisMax)).toBe(unauthenticatedRetryMillisMin + 1)
})

describe("the connections of one daemon", () => {
  const takenIn = (throttle: DaemonThrottle, daemonId: string, from: number, millis: number): number => {
    let taken = 0
    for (let now = from; now < from + millis; now++) if (throttle.take(daemonId, now) === undefined) taken++
    return taken
  }

  it("are 20 at once and then one a second where a node takes 1,000 a second, whatever other daemons do", () => {
    const throttle = new DaemonThrottle(rate, () => 0)
    expect(takenIn(throttle, "d1", 0, 100)).toBe(20)
    expect(throttle.take("d1", 100)).toBe(1_000)
    expect(takenIn(throttle, "d1", 100, 60_000)).toBe(60)
    expect(takenIn(throttle, "d2", 60_100, 100)).toBe(20)
  })

  it("that the node puts off count for nothing", () => {
    const throttle = new DaemonThrottle(1, () => 0)
    expect(throttle.take("d1", 0)).toBeUndefined()
    for (let now = 0; now < 800; now++) expect(throttle.take("d2", now)).toBeGreaterThan(0)
    expect(throttle.take("d2", 1_000)).toBeUndefined()
  })

  it("are no fewer than 20 at once on a node that takes few, and more on one that takes more", () => {
    expect(takenIn(new DaemonThrottle(400, () => 0), "d1", 0, 100)).toBe(20)
    expect(takenIn(new DaemonThrottle(1e6, () => 0), "d1", 0, 5_000)).toBe(5_000)
  })
})
