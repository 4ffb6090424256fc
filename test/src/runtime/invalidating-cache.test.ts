/** A cache whose values changes void: no value is given that is older than a change of what it depends on. */
import { Deferred, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { changesKeptMax } from "../../../src/limits.ts"
import { makeInvalidatingCache } from "../../../src/runtime/invalidating-cache.ts"
import { fc, forAll } from "../../support/properties.ts"

interface Version {
  readonly of: string
  readonly version: number
}

const lifeMillis = 1_000

/** A cache over values with versions, and a clock that the test moves. */
const world = (max = 100) => {
  const versions = new Map<string, number>()
  const read = (of: string): Version => ({ of, version: versions.get(of) ?? 0 })
  let time = 0
  const cache = makeInvalidatingCache<Version>({
    max,
    now: () => time,
    lifeOf: ({ of }) => (of === "fleeting" ? 0 : lifeMillis),
    dependenciesOf: ({ of }) => [of]
  })
  const lookUp = (of: string) =>
    Effect.runSync(
      cache.lookUp(
        of,
        Effect.sync(() => read(of))
      )
    )
  const change = (of: string): void => {
    versions.set(of, (versions.get(of) ?? 0) + 1)
    cache.change(of)
  }
  const advance = (millis: number): void => {
    time += millis
  }
  return { cache, read, lookUp, change, advance }
}

describe("an invalidating cache", () => {
  it("never gives a value that is older than a change, whatever is looked up, held, changed and cleared", () => {
    const key = fc.constantFrom("a", "b", "c")
    const step = fc.oneof(
      fc.record({ does: fc.constantFrom("look up", "begin", "change", "change unnamed"), key }),
      fc.record({ does: fc.constant("end"), key })
    )
    forAll(fc.array(step, { maxLength: 60 }), (steps) => {
      const { cache, read, lookUp, change } = world()
      const held: Array<{ of: string; gate: Deferred.Deferred<void>; given: () => Version | undefined }> = []
      for (const { does, key } of steps) {
        if (does === "look up") expect(lookUp(key)).toEqual(read(key))
        else if (does === "change") change(key)
        else if (does === "change unnamed") {
          change(key)
          cache.clear()
        } else if (does === "begin") {
          const gate = Deferred.makeUnsafe<void>()
          const work = Effect.suspend(() => Effect.as(Deferred.await(gate), read(key)))
          const fiber = Effect.runFork(cache.lookUp(key, work))
          const given = () => {
            const exit = fiber.pollUnsafe()
            return exit?._tag === "Success" ? exit.value : undefined
          }
          held.push({ of: key, gate, given })
        } else {
          const one = held.shift()
          if (one === undefined) continue
          Deferred.doneUnsafe(one.gate, Effect.void)
          expect(one.given()).toEqual(read(one.of))
        }
        for (const of of ["a", "b", "c"]) {
          const found = cache.find(of)
          if (found !== undefined) expect(found.value).toEqual(read(of))
        }
      }
    })
  })

  it("keeps a value until its life ends, and does not look at others' changes", () => {
    const { cache, lookUp, change, advance } = world()
    const value = lookUp("a")
    change("b")
    advance(lifeMillis - 1)
    expect(cache.find("a")?.value).toBe(value)
    advance(1)
    expect(cache.find("a")).toBeUndefined()
  })

  it("keeps no value whose life is 0, and drops one from the future of a clock that was set back", () => {
    const { cache, lookUp, advance } = world()
    lookUp("fleeting")
    expect(cache.find("fleeting")).toBeUndefined()
    lookUp("a")
    advance(-1)
    expect(cache.find("a")).toBeUndefined()
  })

  it("holds as many values as its bound, and drops the least recently used", () => {
    const { cache, lookUp } = world(2)
    for (const key of ["a", "b"]) lookUp(key)
    cache.find("a")
    lookUp("c")
    expect(["a", "b", "c"].map((key) => cache.find(key) !== undefined)).toEqual([true, false, true])
  })

  it(`holds a change against older values also when ${changesKeptMax} others have followed it`, () => {
    const { cache, lookUp, change } = world()
    lookUp("a")
    change("a")
    for (let nth = 0; nth < changesKeptMax; nth++) change(`other ${nth}`)
    expect(cache.find("a")).toBeUndefined()
    const value = lookUp("a")
    expect(cache.find("a")?.value).toBe(value)
  })
})
