/** The trace context as it comes and goes, and which traces are kept. */
import { describe, expect, it } from "vitest"
import { traceStateCharsMax } from "../../../src/limits/tracing.ts"
import { makeSampler } from "../../../src/tracing/sampler.ts"
import { readTrace, traceText } from "../../../src/tracing/trace-context.ts"

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"

describe("a trace context", () => {
  it("is read from its two headers, and written as it was", () => {
    const text = `00-${traceId}-${spanId}-01 vendor=1,other=2`
    expect(readTrace(text)).toEqual({ traceId, spanId, sampled: true, state: "vendor=1,other=2" })
    expect(traceText(readTrace(text)!)).toBe(text)
    expect(traceText(readTrace(`00-${traceId}-${spanId}-00`)!)).toBe(`00-${traceId}-${spanId}-00`)
  })

  it("is read from a later version too, which may say more", () =>
    expect(readTrace(`cc-${traceId}-${spanId}-03-more`)).toMatchObject({ traceId, sampled: true }))

  it.each([
    "",
    "nonsense",
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`
  ])("is none where it does not fit: %s", (text) => expect(readTrace(text)).toBeUndefined())

  it("loses a state that is too long or not readable", () => {
    const withState = (state: string) => readTrace(`00-${traceId}-${spanId}-01 ${state}`)?.state
    expect(withState("x".repeat(traceStateCharsMax))).toHaveLength(traceStateCharsMax)
    expect(withState("x".repeat(traceStateCharsMax + 1))).toBe("")
    expect(withState("a=\u0000")).toBe("")
  })
})

describe("a sampler", () => {
  const begun = (name: string, argument?: string) => {
    const { begin } = makeSampler(name, argument)
    return [...Array(10_000)].filter(() => begin() !== undefined).length
  }

  it("keeps all, none, or its share of the traces that begin here", () => {
    expect(begun("parentbased_always_on")).toBe(10_000)
    expect(begun("always_off")).toBe(0)
    const tenth = begun("parentbased_traceidratio", "0.1")
    expect(tenth).toBeGreaterThan(700)
    expect(tenth).toBeLessThan(1_300)
    expect(begun("traceidratio", "0")).toBe(0)
    expect(begun("an unknown one")).toBe(10_000)
    expect(begun("traceidratio", "much")).toBe(10_000)
  })

  it("goes on as was decided elsewhere where it is based on the parent, else decides by the id", () => {
    expect(makeSampler("parentbased_always_off", undefined).goOn(traceId, true)).toBe(true)
    expect(makeSampler("parentbased_always_on", undefined).goOn(traceId, false)).toBe(false)
    expect(makeSampler("always_on", undefined).goOn(traceId, false)).toBe(true)
    expect(makeSampler("traceidratio", "0.5").goOn(`${"0".repeat(31)}1`, false)).toBe(true)
    expect(makeSampler("traceidratio", "0.5").goOn("f".repeat(32), true)).toBe(false)
  })
})
