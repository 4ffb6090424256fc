/** What connections send in a second, all together. */
import { PassThrough } from "node:stream"
import { describe, expect, it } from "vitest"
import { paced, paceOf, pieceBytes } from "../../../bench/load/pace.ts"
import { fc, forAll } from "../../support/properties.ts"

const bytesPerSecond = 1_000_000

describe("a pace", () => {
  it("lets no more go than its bytes a second and one piece, in the order in which it is asked", () =>
    forAll(
      fc.array(fc.record({ pauseMillis: fc.nat(200), bytes: fc.integer({ min: 1, max: pieceBytes }) })),
      (asks) => {
        let now = 0
        const gone: Array<{ readonly at: number; readonly bytes: number; readonly nth: number }> = []
        const turn = { at: 0 }
        const pace = paceOf(
          bytesPerSecond,
          () => now,
          (go, millis) => {
            turn.at = now + millis
            go()
            turn.at = 0
          }
        )
        for (const [nth, { pauseMillis, bytes }] of asks.entries()) {
          now += pauseMillis
          pace(bytes, () => gone.push({ at: Math.max(now, turn.at), bytes, nth }))
        }
        expect(gone.map(({ nth }) => nth)).toEqual(asks.map((_, nth) => nth))
        for (const [first, { at }] of gone.entries()) {
          let sent = 0
          for (const later of gone.slice(first)) {
            const allowed = ((later.at - at) / 1_000) * bytesPerSecond
            expect(sent).toBeLessThanOrEqual(allowed + 1)
            sent += later.bytes
          }
        }
      }
    ))

  it("has a connection send what it was given, a long write between those of another", async () => {
    const waiting: Array<() => void> = []
    const sizes: Array<number> = []
    const pace = (bytes: number, go: () => void): void => {
      sizes.push(bytes)
      waiting.push(go)
    }
    const connection = () => paced(new PassThrough({ highWaterMark: 10 * pieceBytes }), pace)
    const [one, other] = [connection(), connection()]
    const long = "ä".repeat(pieceBytes)
    one.write(long)
    one.end("end")
    other.end("other")
    for (let go = waiting.shift(); go !== undefined; go = waiting.shift()) {
      go()
      await new Promise((next) => setImmediate(next))
    }
    expect(sizes).toEqual([pieceBytes, 5, pieceBytes, 3])
    expect(String(one.read())).toBe(`${long}end`)
    expect(String(other.read())).toBe("other")
  })
})
