/** Large results are passed on as they came, and say what they would say if they were written anew. */
import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { Answer } from "../../../http/answer.ts"
import { whole } from "../../../http/routes/answers.ts"
import { frameValuesMax, jsonDepthMax } from "../../../src/limits.ts"
import { decodeFrame } from "../../../src/protocol/codec.ts"
import { largeResultChars, textOfResult } from "../../../src/protocol/largeresult.ts"

const picture = "p".repeat(largeResultChars)
const framed = (rest: string, id = "cmd_1") =>
  `{"type":"command_result","data":{"id":"${id}","success":true,"result":${rest}}}`

/** What is known of a frame's result, and the text it is passed on as. */
const told = (text: string) => {
  const frame = decodeFrame(text)
  return frame.type === "command_result" ? { ...frame.data, text: textOfResult(frame.data.result) } : frame
}

describe("a large result", () => {
  test("keeps its text, and its caller gets what the machine sent", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        const result = { ...given, picture }
        const text = JSON.stringify(result)
        const known = told(framed(text))
        expect(known).toEqual({ id: "cmd_1", success: true, result: JSON.parse(text), text })
        const frame = decodeFrame(framed(text)) as { data: { result: unknown } }
        const answer = whole({ commandId: "cmd_1", success: true, result: frame.data.result, durationMs: 7 })
        expect(answer).toBeInstanceOf(Answer)
        expect(JSON.parse((answer as Answer).body as string)).toEqual({
          success: true,
          result: JSON.parse(text),
          commandId: "cmd_1",
          durationMs: 7
        })
      })
    )
  })

  test("that would bring members of its own, or is no JSON, is read like any other", () => {
    const more = told(framed(`{"picture":"${picture}"},"result":{"other":1}`))
    expect(more).toEqual({ id: "cmd_1", success: true, result: { other: 1 }, text: undefined })
    const refused = told(framed(`{"picture":"${picture}"},"success":false,"error":"no"`))
    expect(refused).toEqual({
      id: "cmd_1",
      success: false,
      result: { picture },
      error: "no",
      text: undefined
    })
    expect(told(framed(`{"picture":"${picture}"}},"data":{"id":"cmd_2","success":true`))).toMatchObject({ id: "cmd_2" })
    expect(told(framed(`{"picture":"${picture}"`))).toEqual({ type: "broken" })
    expect(told(framed(`{"picture":"${picture}"}`, "a\\u0062"))).toMatchObject({ id: "ab", text: undefined })
  })

  test("that nests too deep is a misfit", () => {
    const deep = (levels: number) => framed(`${"[".repeat(levels)}"${picture}"${"]".repeat(levels)}`)
    expect(told(deep(jsonDepthMax - 2))).toMatchObject({ id: "cmd_1", success: true })
    expect(told(deep(jsonDepthMax - 1))).toMatchObject({ type: "misfit", of: "command_result", id: "cmd_1" })
  })

  test("that holds too many values is a misfit, and is not parsed to find that", () => {
    const full = (values: number) => framed(`{"picture":"${picture}","all":[${"0,".repeat(values - 1)}0]}`)
    // beside those: the frame, type, data, id, success, result, picture, all
    expect(told(full(frameValuesMax - 8))).toMatchObject({ id: "cmd_1", success: true })
    const parse = vi.spyOn(JSON, "parse")
    try {
      expect(told(full(frameValuesMax - 7))).toMatchObject({ type: "misfit", of: "command_result", id: "cmd_1" })
      expect(parse.mock.calls.map(([text]) => text)).toEqual(['"command_result"', '"cmd_1"'])
    } finally {
      parse.mockRestore()
    }
  })

  test("is written anew while it is small, and where it is no object", () => {
    for (const result of [JSON.stringify({ small: 1 }), JSON.stringify(picture)])
      expect(told(framed(result))).toEqual({
        id: "cmd_1",
        success: true,
        result: JSON.parse(result),
        text: undefined
      })
  })
})
