/** What `hub doctor` says of the system: descriptors, TCP, clocks, proxies, the disk; and of a check that hangs. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { clockOffset, judgeClock } from "../../../src/doctor/clock.ts"
import { judgeDisk } from "../../../src/doctor/data-folder.ts"
import { bounded } from "../../../src/doctor/doctor.ts"
import { judgeKernel, kernelSettings } from "../../../src/doctor/kernel.ts"
import { judgeMemory } from "../../../src/doctor/memory.ts"
import { judgeDescriptors, judgeProxies } from "../../../src/doctor/process.ts"
import { doctorCheckMillisMax, listenBacklog, proxiesLookedFirst, proxiesSeenMax } from "../../../src/limits/doctor.ts"
import { memoryBytes } from "../../../src/runtime/memory-limit.ts"
import { ProxiesSeen } from "../../../src/runtime/proxies-seen.ts"
import { it } from "../../support/effect-test.ts"
import { testFolder } from "../../support/temporary-folder.ts"

it("the doctor on file descriptors calls a low limit a warning, a very low one an error, and says how to raise it", () => {
  expect(judgeDescriptors(1_048_576, undefined)).toMatchObject({ severity: "ok", remedy: null })
  expect(judgeDescriptors(20_000, undefined).severity).toBe("warning")
  expect(judgeDescriptors(512, undefined)).toMatchObject({
    severity: "error",
    remedy: expect.stringContaining("LimitNOFILE")
  })
  expect(judgeDescriptors(Number.POSITIVE_INFINITY, undefined).found).toContain("any number")
})

it("the doctor on file descriptors counts those that the hub has open", () => {
  const severity = (used: number) => judgeDescriptors(100_000, used).severity
  expect([50_000, 80_000, 97_000].map(severity)).toEqual(["ok", "warning", "error"])
})

describe("the doctor on memory", () => {
  const mebibyte = 1_048_576

  it("asks for more where the database is embedded, and says how to give it", () => {
    const severities = (embedded: boolean) =>
      [128, 512, 800, 1_024].map((mebibytes) => judgeMemory(mebibytes * mebibyte, embedded).severity)
    expect(severities(true)).toEqual(["error", "error", "warning", "ok"])
    expect(severities(false)).toEqual(["error", "ok", "ok", "ok"])
    expect(judgeMemory(256 * mebibyte, false).severity).toBe("warning")
    expect(judgeMemory(512 * mebibyte, true)).toMatchObject({
      found: "a hub may take 512 MiB here: with less than 768 MiB the system kills it at its first start",
      remedy: expect.stringMatching(/^give it 1,024 MiB \(docker --memory, .*DATABASE_URL/u)
    })
  })

  it("reads the limit of a container, and the machine's memory where there is none", () => {
    expect(memoryBytes(512, 1_024)).toBe(512)
    expect(memoryBytes(0, 1_024)).toBe(1_024)
    expect(memoryBytes(2 ** 63, 1_024)).toBe(1_024)
  })
})

describe("the doctor on the system's TCP", () => {
  const good = { somaxconn: "4096", synBacklog: "2048", portRange: "32768\t60999", reservedPorts: "" }
  const found = (more: object, port = 8080) => judgeKernel({ ...good, ...more }, port).filter((one) => one.remedy)

  it("finds nothing where all is well", () => expect(found({})).toEqual([]))

  it("names a backlog that is smaller than the hub's own", () => {
    expect(found({ somaxconn: "128" })).toMatchObject([{ check: "listen backlog", severity: "warning" }])
    expect(found({ synBacklog: String(listenBacklog - 1) })).toMatchObject([{ check: "handshake backlog" }])
    expect(found({ somaxconn: String(listenBacklog) })).toEqual([])
  })

  it("names too few local ports, and a port of the hub among them that is not reserved", () => {
    expect(found({ portRange: "60000 60999" })).toMatchObject([{ check: "local ports" }])
    expect(found({}, 40_000)).toMatchObject([{ remedy: expect.stringContaining("ip_local_reserved_ports=40000") }])
    expect(found({ reservedPorts: "1000,39999-40001" }, 40_000)).toEqual([])
  })

  it("skips what the system does not show", () => {
    const nothing = kernelSettings(testFolder("no-kernel"))
    expect(judgeKernel(nothing, 8080).map(({ severity }) => severity)).toEqual(["skipped", "skipped", "skipped"])
  })

  it("reads the files of the system", () => {
    const folder = testFolder("kernel")
    mkdirSync(join(folder, "core"))
    writeFileSync(join(folder, "core/somaxconn"), "128\n")
    expect(kernelSettings(folder).somaxconn).toBe("128")
  })
})

describe("the doctor on clocks", () => {
  const apart = (millis: number, uncertain = 1) => judgeClock("Postgres", { millis, uncertain })

  it("calls a second a warning and more than 30 s an error, ahead or behind", () => {
    expect([0, 900, -900].map((millis) => apart(millis).severity)).toEqual(["ok", "ok", "ok"])
    expect(apart(5_000)).toMatchObject({ severity: "warning", found: expect.stringContaining("5.0 s ahead of") })
    expect(apart(-40_000)).toMatchObject({ severity: "error", found: expect.stringContaining("40.0 s behind") })
  })

  it("does not blame a clock for the time that its answer took", () => expect(apart(1_500, 800).severity).toBe("ok"))

  it.effect("measures from the middle of the question", function* () {
    const slow = Effect.gen(function* () {
      yield* TestClock.adjust(100)
      const there = (yield* Clock.currentTimeMillis) + 7_000
      yield* TestClock.adjust(100)
      return there
    })
    expect(yield* clockOffset(slow)).toEqual({ millis: 7_000, uncertain: 100 })
  })
})

describe("the doctor on proxies", () => {
  it("names a peer that forwards and is not trusted", () => {
    const finding = judgeProxies(
      ["10.0.0.0/8"],
      [
        { address: "10.0.0.1", trusted: true },
        { address: "192.0.2.7", trusted: false }
      ]
    )
    expect(finding).toMatchObject({ severity: "warning", found: expect.stringContaining("come from 192.0.2.7,") })
  })

  it("calls trust in every address an error", () =>
    expect(judgeProxies(["0.0.0.0/0"], undefined)).toMatchObject({ severity: "error" }))

  it("says whom it saw, and that it cannot without a hub that runs", () => {
    expect(judgeProxies(["10.0.0.0/8"], [{ address: "10.0.0.1", trusted: true }]).found).toContain("seen: 10.0.0.1")
    expect(judgeProxies([], undefined).severity).toBe("skipped")
  })
})

it(`the list of proxies seen keeps the first ${proxiesSeenMax}, each once`, () => {
  const seen = new ProxiesSeen()
  for (let at = 0; at < 2 * proxiesSeenMax; at++) seen.note(`192.0.2.${at}`, () => at === 0)
  seen.note("192.0.2.0", () => false)
  expect(seen.list()).toHaveLength(proxiesSeenMax)
  expect(seen.list()[0]).toEqual({ address: "192.0.2.0", trusted: true })
})

it(`the list of proxies seen looks at the first ${proxiesLookedFirst} forwarded requests, and then at few`, () => {
  const seen = new ProxiesSeen()
  const due = Array.from({ length: 2 * proxiesLookedFirst }, () => seen.isDue())
  expect(due.slice(0, proxiesLookedFirst).every(Boolean)).toBe(true)
  expect(due.slice(proxiesLookedFirst).filter(Boolean)).toHaveLength(4)
})

describe("the doctor on the disk", () => {
  const mebibyte = 1_048_576
  const room = (bytes: number, files: number | undefined = undefined, wanted = 0) =>
    judgeDisk("/data", { bytes, files }, wanted).severity

  it("calls little room a warning, none an error, and counts files too", () => {
    expect([10_000, 500, 10].map((free) => room(free * mebibyte))).toEqual(["ok", "warning", "error"])
    expect(room(10_000 * mebibyte, 3)).toBe("error")
    expect(room(10_000 * mebibyte, 1_000_000)).toBe("ok")
  })

  it("warns where an export of the database does not fit", () =>
    expect(room(10_000 * mebibyte, undefined, 20_000 * mebibyte)).toBe("warning"))
})

it.effect("a check that hangs is an error after its time", function* () {
  const fiber = yield* Effect.forkChild(bounded("redis", Effect.never), { startImmediately: true })
  yield* TestClock.adjust(doctorCheckMillisMax)
  expect(fiber.pollUnsafe()).toMatchObject({
    value: [{ check: "redis", severity: "error", found: "no answer within 10 s" }]
  })
})

it.effect("a check that dies is an error", function* () {
  expect(yield* bounded("disk", Effect.die(new Error("odd")))).toMatchObject([
    { severity: "error", found: expect.stringContaining("odd") }
  ])
})
