/** Large bodies, of which a bounded part is read in each turn of the event loop. */
import { describe, expect, it } from "vitest"
import { BodiesPerTurn } from "../../../http/native/bodies-per-turn.ts"
import { bodiesReadAgainPerTurn, bodyBytesPerTurnMax, heavyPieceBytesMin } from "../../../src/limits/edge.ts"
import { fc, forAll } from "../../support/properties.ts"

const readBytes = 524_288
const readsPerTurn = bodyBytesPerTurnMax / readBytes

/** `due`: whether a turn is waited for. */
const world = () => {
  let due: (() => void) | undefined
  const turns = new BodiesPerTurn<ReturnType<typeof connection>>((turn) => {
    due = turn
  })
  const connection = (name: string | number) => {
    const reads = (isRead: boolean) => () => {
      one.isRead = isRead
    }
    const one = { name, isRead: true, pause: reads(false), resume: reads(true) }
    return one
  }
  const turn = () => {
    const now = due
    due = undefined
    now?.()
  }
  return { turns, turn, connection, due: () => due !== undefined }
}
const many = ({ connection }: ReturnType<typeof world>, count: number) =>
  Array.from({ length: count }, (_, at) => connection(at))
const namesRead = (all: ReadonlyArray<{ readonly name: unknown; readonly isRead: boolean }>) =>
  all.filter(({ isRead }) => isRead).map(({ name }) => name)

describe("large bodies", () => {
  it(`are read up to ${bodyBytesPerTurnMax} bytes a turn; past them none of their connections is, until a later turn`, () => {
    const at = world()
    const all = many(at, readsPerTurn)
    for (const one of all.slice(1)) at.turns.take(one, readBytes)
    expect(namesRead(all)).toHaveLength(readsPerTurn)
    at.turns.take(all[0]!, readBytes)
    expect(namesRead(all)).toEqual([])
    const late = at.connection("late")
    at.turns.take(late, heavyPieceBytesMin)
    expect(late.isRead, "its first piece comes in the same turn").toBe(false)
    at.turn()
    expect(namesRead([...all, late])).toHaveLength(bodiesReadAgainPerTurn)
  })

  it(`take turns: ${bodiesReadAgainPerTurn} more are read in each, who waits longest first`, () => {
    const at = world()
    const all = many(at, 2 * bodiesReadAgainPerTurn + 1)
    for (const one of all) at.turns.take(one, readBytes)
    at.turn()
    expect(namesRead(all)).toEqual(all.slice(0, bodiesReadAgainPerTurn).map(({ name }) => name))
    at.turn()
    expect(namesRead(all)).toHaveLength(2 * bodiesReadAgainPerTurn)
    at.turn()
    expect(namesRead(all)).toHaveLength(all.length)
    expect(at.due(), "no turn is waited for").toBe(false)
  })

  it(`in pieces below ${heavyPieceBytesMin} bytes are always read`, () => {
    const at = world()
    const [small, large] = [at.connection("small"), at.connection("large")]
    at.turns.take(small, heavyPieceBytesMin - 1)
    expect(at.due()).toBe(false)
    at.turns.take(large, bodyBytesPerTurnMax)
    expect(namesRead([small, large])).toEqual(["small"])
  })

  it("that end, or are wanted no more, leave their connection read; one that has closed is not touched", () => {
    const at = world()
    const [ended, closed] = [at.connection("ended"), at.connection("closed")]
    for (const one of [ended, closed]) at.turns.take(one, bodyBytesPerTurnMax)
    at.turns.end(ended)
    at.turns.forget(closed)
    expect(ended.isRead).toBe(true)
    at.turn()
    at.turn()
    expect([ended.isRead, closed.isRead, at.due()]).toEqual([true, false, false])
  })

  it("are all read in the end, whoever else sends", () =>
    forAll(
      fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: heavyPieceBytesMin, max: readBytes }),
      (pieces, bytes) => {
        const at = world()
        const senders = pieces.map((left, name) => ({ one: at.connection(name), left }))
        let read = 0
        for (let turn = 0; senders.some(({ left }) => left > 0); turn++) {
          read = 0
          for (const sender of senders) {
            if (!sender.one.isRead || sender.left === 0) continue
            if (turn > 0) expect(read).toBeLessThan(bodyBytesPerTurnMax)
            read += bytes
            at.turns.take(sender.one, bytes)
            if (--sender.left === 0) at.turns.end(sender.one)
          }
          expect(read, "each turn reads something").toBeGreaterThan(0)
          at.turn()
        }
        expect(namesRead(senders.map(({ one }) => one))).toHaveLength(senders.length)
      }
    ))
})
