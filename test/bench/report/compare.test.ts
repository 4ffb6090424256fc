/** The instruments of the bench: what is cut, counted and compared is what was sent, due and measured. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import { FrameReader, textFrames } from "../../../bench/fleet/frames.ts"
import { run } from "../../../bench/load/open-loop.ts"
import { capacity, difference, median, rateRatio } from "../../../bench/report/compare.ts"
import { allHold, atMost, report, table } from "../../../bench/report/figures.ts"
import { page } from "../../../bench/report/page.ts"
import { changes } from "../../../bench/report/record.ts"
import { fc, forAll } from "../../support/properties.ts"
import { until } from "../../support/until.ts"

const serverFrame = (text: string): Buffer => {
  const payload = Buffer.from(text)
  const head =
    payload.length < 126
      ? Buffer.from([0x81, payload.length])
      : Buffer.from([0x81, 126, payload.length >> 8, payload.length & 0xff])
  return Buffer.concat([head, payload])
}

it("frames come out whole however the bytes were cut", () => {
  const texts = fc.array(fc.string({ maxLength: 300 }), { maxLength: 8 })
  forAll(texts, fc.integer({ min: 1, max: 50 }), (sent, piece) => {
    const bytes = Buffer.concat(sent.map(serverFrame))
    const reader = new FrameReader()
    const got: Array<string> = []
    for (let at = 0; at < bytes.length; at += piece)
      reader.push(bytes.subarray(at, at + piece), (_, payload) => got.push(payload.toString()))
    expect(got).toEqual(sent)
  })
})

it("frames go out masked, with a mask that changes nothing", () => {
  const bytes = textFrames(["ab", "x".repeat(200)])
  expect([...bytes.subarray(0, 8)]).toEqual([0x81, 0x82, 0, 0, 0, 0, 0x61, 0x62])
  expect([...bytes.subarray(8, 12)]).toEqual([0x81, 0xfe, 0, 200])
  expect(bytes.length).toBe(8 + 8 + 200)
})

const listening = (server: Server): Promise<string> =>
  new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  )

it("a load at a rate counts the time a request had to wait for the one before it", async () => {
  let asked = 0
  const [seconds, rate] = [0.1, 100]
  const server = createServer((_, response) => {
    if (asked++ > 0) return void response.end("ok")
    let looks = 0
    void until("the stall is over", () => ++looks > 20).then(() => response.end("ok"))
  })
  const url = await listening(server)
  const request = `GET / HTTP/1.1\r\nhost: ${new URL(url).host}\r\n\r\n`
  const answers = await run({ url, requests: [request], connections: 1, seconds, rate })
  server.close()
  expect(answers.answered).toBe(seconds * rate)
  expect(answers.statuses).toEqual({ "200": 10 })
  // the others were due while the first was stalled: how late each went out is in its latency
  expect(answers.late.p50).toBeGreaterThan(0)
  expect(answers.latency.p50).toBeGreaterThanOrEqual(answers.late.p50)
})

it("a load at a rate names what was lost", async () => {
  const server = createServer((request) => request.socket.destroy())
  const url = await listening(server)
  const answers = await run({
    url,
    requests: ["GET / HTTP/1.1\r\nhost: a\r\n\r\n"],
    connections: 1,
    seconds: 0.02,
    rate: 100
  })
  server.close()
  expect(answers.statuses).toEqual({ lost: 2 })
})

describe("a comparison", () => {
  const stretch = (perSecond: number, cpuMicros: number) => ({
    done: perSecond,
    perSecond,
    cpuMicros,
    busy: (perSecond * cpuMicros) / 1e6,
    stores: { postgres: Number.NaN, redis: Number.NaN }
  })

  it("takes throughput where the core was busy, and what the CPU allows where it was not", () => {
    expect(capacity(stretch(50_000, 20))).toBe(50_000)
    expect(capacity(stretch(10_000, 20))).toBe(50_000)
  })

  it("takes the median of the runs and shows their spread", () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 2, 3])).toBe(2.5)
    const rounds = [20, 25, 40].map((micros) => ({ hub: stretch(1e6 / micros, micros), bare: stretch(100_000, 10) }))
    const figure = rateRatio("x", rounds, "hub", "bare", 0.5)
    expect(figure).toMatchObject({ value: 40_000, baseline: 100_000, ratio: 0.4, spread: 0.625, holds: false })
  })

  it("with the record is by ratio where there is one", () => {
    const made = (value: number, ratio: number) => ({
      ...report("rest", { figures: [{ name: "a", value, unit: "/s", baseline: value / ratio, ratio }] }),
      revision: "old"
    })
    expect(changes(made(20, 0.6), made(10, 0.5))).toEqual([
      "rest against revision old",
      "  a  0.5000 → 0.6000  +20.0 %"
    ])
    expect(changes(made(20, 0.6), undefined)).toEqual(["rest: nothing on record"])
  })

  it("with the record has no verdict where the spreads of both explain the difference, or the record is below nothing", () => {
    const made = (value: number, spread: number) => ({
      ...report("rest", { figures: [{ name: "a", value, unit: "ms", spread }] }),
      revision: "old"
    })
    expect(changes(made(10.4, 0.04), made(10, 0.06))[1]).toBe("  a  10.00 → 10.40  within the spread (± 5.0 %)")
    expect(changes(made(10.6, 0.04), made(10, 0.06))[1]).toBe("  a  10.00 → 10.60  +6.0 %")
    expect(changes(made(5, 0), made(-7, 0))[1]).toBe("  a  -7.000 → 5.000")
  })
  it("that is a difference has no verdict where it is smaller than the spread of its runs", () => {
    const noisy = difference("a", [-20, -7.67, 3], "ms", 2)
    expect([noisy.value, noisy.margin, noisy.holds]).toEqual([-7.67, 11.5, undefined])
    expect(difference("a", [0.4, 0.45, 0.5], "ms", 0.3)).toMatchObject({ value: 0.45, holds: false })
    expect(difference("a", [0.1, 0.12, 0.14], "ms", 0.3)).toMatchObject({ value: 0.12, holds: true })
    expect(difference("a", [0.1], "ms", 0.3)).toEqual(atMost("a", 0.1, "ms", 0.3))
    const made = report("command", { figures: [noisy] })
    expect(table(made)).toMatch(/^a +-7\.67 ms +± 11\.5 ms +<= 2 ms +within its spread$/mu)
    expect(page([made])).toContain("<td>within its spread</td>")
    expect(allHold(made)).toBe(true)
  })

  it("with the record compares a difference in its unit", () => {
    const made = (...values: ReadonlyArray<number>) =>
      report("command", { figures: [difference("a", values, "ms", 2)] })
    expect(changes(made(0, 1, 2), made(-9, -7, -5))[1]).toBe("  a  -7.000 → 1.000  +8.00 ms")
    expect(changes(made(0, 1, 2), made(-5, 0, 3))[1]).toBe("  a  0.000 → 1.000  within the spread (± 5 ms)")
  })
})
