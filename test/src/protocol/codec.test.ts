/** Frames as text: what is understood, what is only dropped, and what breaks the connection. */
import { describe, expect, test, vi } from "vitest"
import {
  frameCostMax,
  frameValuesMax,
  jsonDepthMax,
  largeFrameBytes,
  nameCost,
  valueCost
} from "../../../src/limits.ts"
import { close, isCleanClose, reconnectAfter } from "../../../src/protocol/close.ts"
import { decodeFrame, encodeCommand, encodeFrame } from "../../../src/protocol/codec.ts"
import { anyText, fc, forAll } from "../../support/properties.ts"

const frame = (type: string, data: unknown) => decodeFrame(JSON.stringify({ type, data }))

describe("a frame from a daemon", () => {
  test("is understood with members nobody knows, which are left behind", () => {
    expect(frame("command_result", { id: "c", success: true, result: { deep: [1] }, mood: "good" })).toEqual({
      type: "command_result",
      data: { id: "c", success: true, result: { deep: [1] } }
    })
  })

  test("is understood with values of enumerations nobody knows", () => {
    const session = { id: "s", providerType: "new", kind: "hologram", transport: "laser", status: "dreaming" }
    expect(frame("status_report", { timestamp: 1, sessions: [session] })).toMatchObject({ type: "status_report" })
  })

  test("is a misfit, with its id where it has one, when it lacks what makes it one", () => {
    const misfit = { type: "misfit", of: "command_result", id: "c" }
    expect(frame("command_result", { id: "c", success: 1 })).toMatchObject(misfit)
    expect(frame("status_event", { timestamp: 1 })).toMatchObject({ type: "misfit", of: "status_event" })
  })

  test("nests 128 deep, and is a misfit or broken where it nests deeper", () => {
    const nested = (type: string, levels: number, member: string, more = "") =>
      decodeFrame(`{"type":"${type}","data":{${more}"${member}":${"[".repeat(levels - 2)}${"]".repeat(levels - 2)}}}`)
    const result = '"id":"c","success":true,'
    expect(nested("command_result", jsonDepthMax, "result", result)).toMatchObject({ data: { id: "c", success: true } })
    const misfit = { type: "misfit", of: "command_result", id: "c" }
    expect(nested("command_result", jsonDepthMax + 1, "result", result)).toMatchObject(misfit)
    expect(nested("command_result", 500_000, "result", result)).toMatchObject(misfit)
    const report = nested("status_report", 500_000, "p2p", '"timestamp":1,"sessions":[],')
    expect(report).toMatchObject({ type: "misfit", of: "status_report" })
    const event = nested("status_event", 500_000, "muted", '"id":"e","event":"agent:stopped","timestamp":1,')
    expect(event).toMatchObject({ type: "misfit", of: "status_event", id: "e" })
    const known = '"token":"t","protocol":1,"instanceId":"i","version":"1","hostname":"h","platform":"p",'
    expect(nested("auth", 500, "colour", known)).toEqual({ type: "broken" })
  })

  test("holds 100,000 values, and is a misfit or broken where it holds more", () => {
    // the frame, its type, its data and the array, and three names; then those of `more` and theirs
    const holding = (type: string, values: number, member: string, more: Record<string, unknown> = {}) => {
      const rest = values - 7 - 2 * Object.keys(more).length
      return decodeFrame(JSON.stringify({ data: { [member]: Array.from({ length: rest }, () => 0), ...more }, type }))
    }
    const result = { id: "c", success: true }
    expect(holding("command_result", frameValuesMax, "result", result)).toMatchObject({ data: result })
    const misfit = { type: "misfit", of: "command_result", id: "c" }
    expect(holding("command_result", frameValuesMax + 1, "result", result)).toMatchObject(misfit)
    const report = { timestamp: 1, sessions: 0 }
    expect(holding("status_report", frameValuesMax + 1, "p2p", report)).toMatchObject({
      type: "misfit",
      of: "status_report"
    })
    const event = { id: "e", event: "agent:stopped", timestamp: 1 }
    expect(holding("status_event", frameValuesMax, "mood", event)).toMatchObject({ data: event })
    expect(holding("status_report", frameValuesMax + 1, "p2p", report)).toMatchObject({
      misfits: [{ at: "status_report", reason: "nests too deep or holds too many values" }]
    })
    const dropped = { type: "misfit", of: "status_event", id: "e" }
    expect(holding("status_event", frameValuesMax + 1, "muted", event)).toMatchObject(dropped)
    expect(holding("auth", frameValuesMax + 1, "colour", { protocol: 1 })).toEqual({ type: "broken" })
    expect(holding("telepathy", frameValuesMax + 1, "x")).toEqual({ type: "unknown", name: "telepathy" })
    expect(decodeFrame(JSON.stringify(Array.from({ length: frameValuesMax }, () => 0)))).toEqual({ type: "broken" })
  })

  test("costs as much as its reader takes, and is a misfit where it costs more", () => {
    const report = (names: number) => {
      const more = Object.fromEntries(Array.from({ length: names }, (_, nth) => [`n${nth}`, 0]))
      const text = JSON.stringify({ type: "status_report", data: { timestamp: 1, sessions: [], more } })
      return decodeFrame(text, undefined, frameCostMax).type
    }
    expect(report(10_000)).toBe("status_report")
    expect(report(100 + frameCostMax / (nameCost + 2 * valueCost))).toBe("misfit")
  })

  test("that is not measured for its values, as it is small, holds no more than a frame may", () => {
    // a value takes a character and a comma
    expect(largeFrameBytes / 2).toBeLessThan(frameValuesMax)
  })

  test("is unknown by its type", () => {
    expect(frame("telepathy", {})).toEqual({ type: "unknown", name: "telepathy" })
    expect(frame("constructor", {})).toEqual({ type: "unknown", name: "constructor" })
  })

  test("of another protocol says which, before anything else is looked at", () => {
    expect(frame("auth", { protocol: 2 })).toEqual({ type: "broken", protocol: 2 })
    expect(frame("auth", { protocol: 1 })).toMatchObject({ type: "auth", data: { protocol: 1 } })
    expect(frame("auth", { protocol: "1" })).toMatchObject({ type: "auth", data: {} })
  })

  test("is never an exception, whatever the text", () => {
    const envelope = fc.record({
      type: fc.oneof(fc.constantFrom("auth", "status_report", "status_event", "command_result"), fc.string()),
      data: fc.jsonValue()
    })
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      envelope.map((value) => JSON.stringify(value))
    )
    forAll(text, (given) => {
      expect(typeof decodeFrame(given).type).toBe("string")
    })
  })
})

describe("a frame with half a character", () => {
  test("has a replacement for it, whole ones and all else as they are", () => {
    const data = { type: "log_events", data: { cut: "a\ud83d", whole: "😀", escape: "\\ud83d" } }
    const text = JSON.stringify(data).replace("😀", "\\ud83d\\ude00")
    expect(decodeFrame(text)).toEqual({ ...data, data: { ...data.data, cut: "a\ufffd" } })
  })

  test("has a replacement for it in the name of a member too", () => {
    expect(decodeFrame('{"type":"log_events","data":{"a\\ud83d":1}}')).toMatchObject({ data: { "a\ufffd": 1 } })
  })

  test("is parsed as any other, without a call for each value", () => {
    const parse = vi.spyOn(JSON, "parse")
    decodeFrame('{"type":"log_events","data":{"cut":"a\\ud83d"}}')
    expect(parse.mock.calls.map((given) => given.length)).toEqual([1])
    parse.mockRestore()
  })
})

describe("a frame to a daemon", () => {
  test("is one JSON object with its type first", () => {
    expect(encodeFrame({ type: "event_ack", data: { ids: ["e"] } })).toBe('{"type":"event_ack","data":{"ids":["e"]}}')
  })
})

describe("the endings", () => {
  test("have one name and one reconnect rule per code", () => {
    const rules = Object.values(close)
    expect(new Set(rules.map(({ code }) => code)).size).toBe(rules.length)
    expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length)
    expect(rules.filter(({ reconnect }) => reconnect === "never").map(({ code }) => code)).toEqual([4401, 4403, 4409])
    expect(rules.filter(({ reconnect }) => reconnect === "slot").map(({ code }) => code)).toEqual([1012])
  })
  test("fit into a close frame: at most 123 bytes of reason", () => {
    for (const { name } of Object.values(close)) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(123)
  })
  test("that are not ours are accidents: backoff, and not clean", () => {
    expect([1006, 1011, 4999].map(reconnectAfter)).toEqual(["backoff", "backoff", "backoff"])
    expect([1000, 1001, 1006, 1012, 4404].map(isCleanClose)).toEqual([true, true, false, false, false])
  })
})

describe("the frame of a command", () => {
  const command = fc.record(
    {
      id: fc.constant("cmd_0123456789abcdefghij"),
      type: fc.constantFrom("read_chat" as const, "launch_ide" as const),
      payload: fc.oneof(fc.jsonValue(), fc.constant(undefined)),
      targetSessionId: anyText(),
      deadlineMs: fc.nat()
    },
    { requiredKeys: ["id", "type", "payload", "deadlineMs"] }
  )

  test("says what the frame as an object says, whatever it carries", () =>
    forAll(command, (data) => {
      const text = encodeCommand(data)
      expect(JSON.parse(text)).toEqual(JSON.parse(encodeFrame({ type: "command", data })))
      const payloadText = JSON.stringify(data.payload) as string | undefined
      expect(encodeCommand({ ...data, payload: undefined, payloadText })).toBe(text)
    }))
})
