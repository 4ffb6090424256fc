/** Durable commands: which are known, which results are kept. */
import { describe, expect, it } from "vitest"
import { DurableCommands } from "../../daemon/durable-commands.ts"
import { durableCommandsMax, storedResultBytesMax } from "../../daemon/limits.ts"

const done = (id: string, result: unknown = 1) => ({ id, success: true, result })

describe("a durable command", () => {
  it("is named while it runs and until its result was taken", () => {
    const durable = new DurableCommands()
    expect([durable.begin("a"), durable.begin("b"), durable.begin("a")]).toEqual(["begun", "begun", "known"])
    expect([durable.ids, durable.results]).toEqual([["a", "b"], []])
    durable.acknowledged(["a", "unknown"])
    expect(durable.finish(done("a"))).toEqual(done("a"))
    expect([durable.ids, durable.results]).toEqual([["a", "b"], [done("a")]])
    durable.acknowledged(["a"])
    expect([durable.ids, durable.results, durable.has("a")]).toEqual([["b"], [], false])
  })

  it("is refused beyond the bound, until a result was taken", () => {
    const durable = new DurableCommands()
    for (let at = 0; at < durableCommandsMax; at++) durable.begin(String(at))
    expect(durable.begin("more")).toBe("full")
    durable.finish(done("0"))
    durable.acknowledged(["0"])
    expect(durable.begin("more")).toBe("begun")
  })

  it("whose result finds no room among those that wait is kept as a failure", () => {
    const durable = new DurableCommands()
    const large = "x".repeat(storedResultBytesMax / 2)
    for (const id of ["a", "b", "c"]) durable.begin(id)
    durable.finish(done("a", large))
    expect(durable.finish(done("b", large))).toMatchObject({ id: "b", success: false, code: "result_not_kept" })
    durable.acknowledged(["a", "b"])
    expect(durable.finish(done("c", large))).toMatchObject({ success: true })
  })
})
