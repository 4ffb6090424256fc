/** What stdout and stderr are given: whatever others wrote, no terminal obeys it and no log has a line of theirs. */
import { Cause, Effect } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { consoleLog } from "../../../daemon/log.ts"
import { daemon } from "../../../daemon/main.ts"
import { registry } from "../../../publisher/main.ts"
import { sentence } from "../../../src/cli/failure-sentence.ts"
import { handOver, print, printError, show } from "../../../src/cli/print.ts"
import { plain, plainJson, plainLines } from "../../../src/runtime/escape.ts"
import { jsonLine, layerLog, prettyLine } from "../../../src/runtime/log.ts"
import { anyText, fc, forAll, forAllAsync } from "../../support/properties.ts"

const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const texts = fc.oneof(
  anyText(),
  fc.constantFrom("\u001b]0;title\u0007", "\u009b2J", "\u202egnp", "a\r\nb", "\u2028", "\ud800", "\u0085", "\u007f")
)

const captured = () => {
  const written: Array<string> = []
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation(((text: string, done?: unknown) => {
      written.push(text)
      if (typeof done === "function") done()
      return true
    }) as never)
  }
  return written
}

afterEach(() => vi.restoreAllMocks())

describe("a text of others", () => {
  it("is escaped, and nothing else of it is changed", () => {
    forAll(texts, (text) => !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(plain(text)))
    forAll(fc.string(), (text) => plain(text) === text && plainLines(text) === text)
    forAll(fc.json(), (json) => JSON.stringify(JSON.parse(plainJson(json))) === JSON.stringify(JSON.parse(json)))
  })

  it("is in no writer of the command line as it was", async () => {
    const written = captured()
    await forAllAsync(30, texts, async (text) => {
      print(text)
      printError(`hub: ${sentence(Cause.fail(new Error(text)))}`)
      printError(`hub: ${sentence(Cause.die(new Error(text)))}`)
      await Effect.runPromise(Effect.all([show([text]), handOver(text)]))
      consoleLog(() => 0)("closed", { reason: text, more: text })
      consoleLog(() => 0)(`stopping ${text}`)
      await daemon(["--url", text])
      await registry([text, text], {})
      await registry([`--${text}`], {})
    })
    expect(written.length).toBeGreaterThan(200)
    expect(written.filter((text) => unseen.test(text))).toEqual([])
  })

  it("is in no line of the log as it was, in either form", async () => {
    const written = captured()
    const log = (text: string) =>
      Effect.logError(`a name: ${text}`, { hostname: text, more: { text } }, Cause.fail(new Error(text))).pipe(
        Effect.annotateLogs("where", text)
      )
    for (const pretty of [true, false]) {
      await forAllAsync(50, texts, (text) =>
        Effect.runPromise(Effect.provide(log(text), layerLog({ logLevel: "debug" }, pretty)))
      )
    }
    expect(written.length).toBe(100)
    expect(written.filter((text) => unseen.test(text))).toEqual([])
  })

  it("makes no line of the log that looks like one of the hub's", () => {
    const entry = { time: "2026-01-01T00:00:00.000Z", level: "warn", message: "x" }
    const forged = "\n00:00:00.000 error all is lost"
    for (const line of [prettyLine({ ...entry, hostname: forged }), prettyLine({ ...entry, message: forged })])
      expect(line.split("\n")).toHaveLength(1)
    const cause = prettyLine({ ...entry, cause: `Error: ${forged}\n    at here` })
    expect(
      cause
        .split("\n")
        .slice(1)
        .every((line) => line.startsWith("    "))
    ).toBe(true)
    expect(jsonLine({ ...entry, hostname: forged }).split("\n")).toHaveLength(1)
  })
})
