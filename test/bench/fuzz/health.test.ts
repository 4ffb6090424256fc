/** When a hub counts as harmed by the fuzzing: what it keeps at rest, and what its log says. */
import { describe, expect, it } from "vitest"
import { errorLines, growthOf, type Held } from "../../../bench/fuzz/health.ts"

describe("a hub is found wrong afterwards", () => {
  const calm: Held = { rss: 3e8, heap: 1e8, sockets: 20, resources: 10, left: {}, faults: 0 }

  it.each<readonly [string, Partial<Held>]>([
    ["the heap grew from 95 MiB to 286 MiB", { heap: 3e8 }],
    ["the resident set grew", { rss: 5.13e8 }],
    ["open sockets grew", { sockets: 90 }],
    ["Node's handles grew", { resources: 90 }],
    ["faults of its own", { faults: 1 }],
    ["hub_body_bytes is 5 at rest", { left: { hub_body_bytes: 5 } }]
  ])("%s", (sentence, more) => {
    expect(growthOf("rest", calm, calm, { ...calm, ...more }).join()).toContain(sentence)
    expect(growthOf("rest", calm, calm, calm)).toEqual([])
  })

  it("by a heap that goes on growing in the second half, not by one that fills in the first", () => {
    const grown: Held = { ...calm, heap: calm.heap + 3e7 }
    expect(growthOf("rest", calm, grown, grown)).toEqual([])
    expect(growthOf("rest", calm, calm, grown)).toEqual(["in the second half the heap grew from 95 MiB to 124 MiB"])
  })

  it("by a heap of the registry only beyond its cache of pages", () => {
    const grown: Held = { ...calm, heap: calm.heap + 5e7 }
    expect(growthOf("registry", calm, grown, grown)).toEqual([])
    expect(growthOf("rest", calm, grown, grown)).toEqual(["the heap grew from 95 MiB to 143 MiB"])
    expect(growthOf("registry", calm, { ...calm, heap: 3e8 }, { ...calm, heap: 3e8 })).toEqual([
      "the heap grew from 95 MiB to 286 MiB"
    ])
  })

  it("by each line of its log that is an error, or none of the log", () => {
    const entry = (level: string) => JSON.stringify({ level, message: "x" })
    const text = [entry("warn"), entry("error"), "Debugger attached.", "RangeError: x", ""].join("\n")
    expect(errorLines(text)).toEqual([entry("error"), "RangeError: x"])
  })
})
