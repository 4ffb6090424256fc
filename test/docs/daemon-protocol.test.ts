/**
 * The protocol document against the code: each numbered statement has a test, each figure and code is the one in force.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  rolloutMillis,
  updateHoldMillis,
  updateMillisMax,
  updateReasonCharsMax
} from "../../src/limits/daemon-versions.ts"
import { aloneFirstMillis, movingMillisMax, slotEndMillis } from "../../src/limits/drain.ts"
import {
  logBurstBytes,
  logBytesPerSecond,
  logEventsPerFrameMax,
  logFloodBurstBytes,
  logFrameBytesMax,
  logFrameOverheadBytes,
  logPageBytesMax,
  logReadsPerDaemonMax,
  logTypeCharsMax
} from "../../src/limits/logs.ts"
import { preAuthFrameBytesMax, unauthenticatedMax } from "../../src/limits/sockets.ts"
import * as limits from "../../src/limits.ts"
import { close } from "../../src/protocol/close.ts"
import { commandTypes } from "../../src/protocol/frames.ts"
import { root } from "../support/root.ts"

const text = readFileSync(join(root, "docs/daemon-protocol.md"), "utf8")
const stated = [...text.matchAll(/^- \*\*(P\d+)\*\* /gmu)].map((match) => match[1]!)

const tests = readdirSync(join(root, "test/acts"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => readFileSync(join(root, "test/acts", name), "utf8"))
  .join("\n")

/** The statement of a number, in one line. */
const statement = (number: string): string =>
  new RegExp(`^- \\*\\*${number}\\*\\* ([\\s\\S]*?)(?=\\n\\n|\\n- |\\s*(?![\\s\\S]))`, "mu")
    .exec(text)?.[1]
    ?.replaceAll("\n", " ") ?? ""

describe("the protocol document", () => {
  it("numbers its statements from P1 on without a gap", () => {
    const numbers = stated.map((number) => Number(number.slice(1))).toSorted((one, other) => one - other)
    expect(numbers).toEqual(numbers.map((_, at) => at + 1))
    expect(stated.length).toBeGreaterThan(50)
  })

  it("has a test for each statement, named by its number", () => {
    const tested = new Set([...tests.matchAll(/["`](P\d+(?:, P\d+)*):? /gu)].flatMap((match) => match[1]!.split(", ")))
    expect(stated.filter((number) => !tested.has(number))).toEqual([])
    expect([...tested].filter((number) => !stated.includes(number))).toEqual([])
  })

  it.each([
    ["P7", limits.authFrameBytesMax],
    ["P8", limits.daemonFrameBytesMax],
    ["P9", limits.resultFrameBytesMax],
    ["P10", limits.hubFrameBytesMax],
    ["P7", preAuthFrameBytesMax],
    ["P11", unauthenticatedMax],
    ["P17", limits.authMillisMax / 1_000],
    ["P42", limits.pendingCommandsMax],
    ["P47", limits.pingMillis / 1_000],
    ["P48", limits.silenceMillisMax / 1_000],
    ["P49", limits.framesPer10sMax],
    ["P50", limits.frameBytesPer10sMax],
    ["P52", limits.outboxBytesMax],
    ["P52", limits.outboxReserveBytes / 1_024],
    ["P52", limits.readingLookMillis / 1_000],
    ["P52", (limits.idleLooksMax * limits.readingLookMillis) / 1_000],
    ["P59", limits.jsonDepthMax],
    ["P59", limits.frameValuesMax],
    ["P59", limits.frameCostMax / 1_048_576],
    ["P103", limits.startedCommandsMax],
    ["P103", limits.commandSecondsMax * 1_000],
    ["P106", limits.lateCommandsMax],
    ["P108", limits.commandGraceMillis / 1_000],
    ["P110", limits.storedResultBytesMax],
    ["P68", limits.sessionsPerDaemonMax],
    ["P68", limits.providersPerDaemonMax],
    ["P68", limits.workspacesPerDaemonMax],
    ["P68", limits.controlsPerSessionMax],
    ["P69", limits.problemsShownMax],
    ["P112", limits.tagsPerDaemonMax],
    ["P112", limits.tagValueCharsMax],
    ["P98", logPageBytesMax],
    ["P98", logReadsPerDaemonMax],
    ["P99", logBytesPerSecond],
    ["P99", logBurstBytes],
    ["P99", logFrameOverheadBytes],
    ["P99", logFloodBurstBytes],
    ["P100", logFrameBytesMax],
    ["P100", logTypeCharsMax],
    ["P100", logEventsPerFrameMax],
    ["P121", rolloutMillis / 1_000],
    ["P122", updateHoldMillis],
    ["P122", updateMillisMax],
    ["P123", updateReasonCharsMax],
    ["P118", limits.valueCost],
    ["P118", limits.nameCost],
    ["P118", limits.freeNames],
    ["P118", limits.accountCostBurstSeconds],
    ["P118", limits.heavyFrameCost / 1_024],
    ["P119", limits.nodeCostPerSecond / 1_048_576],
    ["P119", limits.nodeCostMax / 1_048_576],
    ["P119", limits.nodeCostTurn / 1_024],
    ["P62", slotEndMillis / 1_000],
    ["P63", movingMillisMax / 1_000],
    ["P64", aloneFirstMillis / 1_000]
  ])("%s gives the figure in force, %i", (number, figure) =>
    expect(statement(number)).toContain(figure.toLocaleString("en"))
  )

  it("lists every close code with its name and rule, and no other", () => {
    const rows = [...text.matchAll(/^\| (\d{4}) \| ([^|]+) \| ([^|]+) \|$/gmu)].map(([, code, name, rule]) => ({
      code: Number(code),
      name: name!.trim(),
      back: !rule!.startsWith("never")
    }))
    expect(rows).toEqual(
      Object.values(close).map(({ code, name, reconnect }) => ({ code, name, back: reconnect !== "never" }))
    )
  })

  it("describes every command that is ever sent", () => {
    const table = text.slice(text.indexOf("| `type` | payload |"))
    for (const type of commandTypes) expect(table).toContain(`\`${type}\``)
  })
})
