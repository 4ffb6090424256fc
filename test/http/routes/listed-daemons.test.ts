/** The list of daemons: one slice per turn of the event loop, and encoded once while nothing changes. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Answer } from "../../../http/pipeline/response.ts"
import { listAnswer, makeListEncoder } from "../../../http/routes/listed-daemons.ts"
import { daemonView } from "../../../src/domain/daemon/views.ts"
import { workStepsPerTurn } from "../../../src/limits/edge.ts"
import { listSliceChars, listSliceDaemonsMax } from "../../../src/limits.ts"
import { session, snapshot } from "../../support/snapshots.ts"

const many = (count: number, type = "t") =>
  Array.from({ length: count }, (_, at) => snapshot([session("s", { providerType: type })], { daemonId: `d${at}` }))
const none = new Map()
const textOf = (answer: Answer) => Buffer.from(answer.body as Uint8Array).toString()

describe("the list of daemons", () => {
  it("is made at once where it is one slice", () => {
    const snapshots = many(listSliceDaemonsMax)
    const made = listAnswer("a", snapshots, none)
    expect(JSON.parse(textOf(Effect.runSync(made)))).toEqual({ daemons: snapshots.map((one) => daemonView(one)) })
  })

  it("leaves the loop to others after each slice, of daemons and of characters", async () => {
    const slices = 3 * workStepsPerTurn
    for (const snapshots of [many(listSliceDaemonsMax * slices), many(slices, "t".repeat(listSliceChars))]) {
      const turns: Array<string> = []
      const made = Effect.runPromise(listAnswer("a", snapshots, none, { nextCursor: "next" })).then((answer) => {
        turns.push("made")
        return answer
      })
      for (let turn = 0; turn < 2; turn++)
        await new Promise<void>((resume) => setImmediate(resume)).then(() => turns.push("turn"))
      expect(JSON.parse(textOf(await made))).toEqual({
        daemons: snapshots.map((one) => daemonView(one)),
        nextCursor: "next"
      })
      expect(turns[0]).toBe("turn")
    }
  })

  it("is made once of snapshots and updates of which none changed", () => {
    const list = makeListEncoder()
    const snapshots = many(3)
    const first = Effect.runSync(list("a", snapshots, none))
    expect(Effect.runSync(list("a", snapshots, none))).toBe(first)
    expect(Effect.runSync(list("a", [...snapshots], none))).not.toBe(first)
    const updating = new Map([
      [snapshots[0]!.daemonId, { state: "current", policy: "p", version: "1.0.0", reason: null }]
    ] as const)
    const second = Effect.runSync(list("a", snapshots, updating))
    expect(textOf(second)).toContain('"policy":"p"')
    expect(Effect.runSync(list("a", snapshots, updating))).toBe(second)
  })
})
