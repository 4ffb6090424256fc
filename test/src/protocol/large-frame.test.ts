/** Large results are passed on as they came, and say what they would say if they were written anew. */
import { describe, expect, test, vi } from "vitest"
import { Answer } from "../../../http/pipeline/response.ts"
import { encodeCommand } from "../../../http/routes/command-answer.ts"
import { pooledBufferBytesMin } from "../../../src/limits/large.ts"
import { frameValuesMax, jsonDepthMax, largeFrameBytes } from "../../../src/limits.ts"
import { beginningOf, LargeResult, readLargeFrame, textOfBytes } from "../../../src/protocol/large-frame.ts"
import { fc, forAll } from "../../support/properties.ts"

const snapshot = "p".repeat(largeFrameBytes)
const framed = (rest: string, id = "cmd_1") =>
  `{"type":"command_result","data":{"id":"${id}","success":true,"result":${rest}}}`
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text))

/** What is known of a frame, and the text that its result is passed on as. */
const told = (text: string) => {
  const bytes = bytesOf(text)
  const read = readLargeFrame(bytes)
  if (read.is === "result") return { text: textOfBytes(bytes.subarray(read.from, read.to)) }
  if (read.is === "other") return "other"
  return { ...read.frame, ...(read.result !== undefined && { anew: textOfBytes(read.result) }) }
}

describe("a large result", () => {
  test("keeps its bytes, and its caller gets what the daemon sent", () =>
    forAll(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
      const text = JSON.stringify({ ...given, snapshot })
      expect(beginningOf(bytesOf(framed(text)))).toMatchObject({ is: "result", id: "cmd_1" })
      expect(told(framed(text))).toEqual({ text })
      const result = new LargeResult(bytesOf(text))
      const answer = encodeCommand({ commandId: "cmd_1", success: true, result, durationMs: 7 }) as Answer
      expect(answer).toBeInstanceOf(Answer)
      expect(JSON.parse(textOfBytes(answer.body as Uint8Array))).toEqual({
        success: true,
        result: JSON.parse(text),
        commandId: "cmd_1",
        durationMs: 7
      })
    }))

  test("is answered with in its frame, without a copy, and gives the memory back once that is sent", () => {
    const text = JSON.stringify({ snapshot })
    const frame = bytesOf(framed(text))
    const room = new Uint8Array(new ArrayBuffer(pooledBufferBytesMin), 0, frame.byteLength)
    room.set(frame)
    const answerOf = (bytes: Uint8Array) => {
      const read = readLargeFrame(bytes)
      if (read.is !== "result") throw new Error("it is a canonical result")
      const result = new LargeResult(bytes.subarray(read.from, read.to), true)
      return encodeCommand({ commandId: "cmd_1", success: true, result, durationMs: 7 }) as Answer
    }
    const [inFrame, copied] = [answerOf(room), answerOf(frame)]
    const [one, other] = [inFrame.body, copied.body] as [Uint8Array, Uint8Array]
    expect(textOfBytes(one)).toBe(textOfBytes(other))
    expect([one.buffer === room.buffer, other.buffer === frame.buffer]).toEqual([true, false])
    expect(copied.release).toBeUndefined()
    inFrame.release!()
    expect([one.byteLength, room.byteLength]).toEqual([0, 0])
  })

  test("of any kind of value keeps its bytes, halves of pairs and words too", () => {
    for (const text of [
      JSON.stringify(snapshot),
      `{"a":"\\ud800","b":"${snapshot}"}`,
      `["${"\u00e9".repeat(70_000)}"]`
    ])
      expect(told(framed(text))).toEqual({ text })
  })

  test("that would bring members of its own is read like any other", () => {
    const result = { snapshot }
    const more = told(framed(`{"snapshot":"${snapshot}"},"result":{"other":1}`))
    expect(more).toMatchObject({ type: "command_result", data: { id: "cmd_1" }, anew: '{"other":1}' })
    const refused = told(framed(`{"snapshot":"${snapshot}"},"success":false,"error":"no"`))
    const data = { id: "cmd_1", success: false, error: "no" }
    expect(refused).toEqual({ type: "command_result", data, anew: JSON.stringify(result) })
    const other = told(framed(`{"snapshot":"${snapshot}"}},"data":{"id":"cmd_2","success":true`))
    expect(other).toEqual({ type: "command_result", data: { id: "cmd_2", success: true } })
    expect(told(framed(`{"snapshot":"${snapshot}"`))).toEqual({ type: "broken" })
    expect(told(framed(`{"snapshot":"${snapshot}"}`, "a\\u0062"))).toMatchObject({ data: { id: "ab" } })
  })

  test("is told from other frames by its beginning, and else by being read", () => {
    const report = `{"type":"status_report","data":{"note":"${snapshot}"}}`
    expect(beginningOf(bytesOf(report))).toEqual({ is: "report" })
    expect(beginningOf(bytesOf(report.replace("report", "event")))).toEqual({ is: "other" })
    const turned = `{"data":{"note":"${snapshot}"},"type":"status_report"}`
    expect([beginningOf(bytesOf(turned)), told(turned)]).toEqual([{ is: "unknown" }, "other"])
    const spaced = `{ "type": "command_result", "data": {"result":"${snapshot}","id":"a","success":true}}`
    expect(beginningOf(bytesOf(spaced))).toEqual({ is: "unknown" })
    expect(told(spaced)).toMatchObject({ data: { id: "a", success: true }, anew: JSON.stringify(snapshot) })
  })

  test("that nests too deep is a misfit", () => {
    const deep = (levels: number) => framed(`${"[".repeat(levels)}"${snapshot}"${"]".repeat(levels)}`)
    expect(told(deep(jsonDepthMax - 2))).toHaveProperty("text")
    expect(told(deep(jsonDepthMax - 1))).toMatchObject({ type: "misfit", of: "command_result", id: "cmd_1" })
  })

  test("that holds too many values, names of members among them, is a misfit and is not parsed to find that", () => {
    // beside those: the frame, type, data, id, success, result, snapshot, all, and the names of seven of these
    const room = frameValuesMax - 15
    const full = (values: number) => framed(`{"snapshot":"${snapshot}","all":[${"0,".repeat(values - 1)}0]}`)
    const named = (members: number) => {
      const all = Array.from({ length: members }, (_, at) => `"n${at}":0`)
      return framed(`{"snapshot":"${snapshot}","all":{${all.join(",")}}}`)
    }
    expect(told(full(room))).toHaveProperty("text")
    expect(told(named(Math.floor(room / 2)))).toHaveProperty("text")
    const parse = vi.spyOn(JSON, "parse")
    try {
      for (const text of [full(room + 1), named(Math.floor(room / 2) + 1)])
        expect(told(text)).toMatchObject({ type: "misfit", of: "command_result", id: "cmd_1" })
      const words = ['"command_result"', '"cmd_1"']
      expect(parse.mock.calls.map(([text]) => text)).toEqual([...words, ...words])
    } finally {
      parse.mockRestore()
    }
  })
})
