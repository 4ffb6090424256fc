/** Where the warnings of an answer stand. */
import { describe, expect, it, vi } from "vitest"
import { Answer, json, jsonBytes } from "../../../http/pipeline/response.ts"
import { withWarnings } from "../../../http/pipeline/warnings.ts"

const bodyOf = (answer: Answer) => Buffer.from(withWarnings(answer, ["w"]).body as string | Uint8Array).toString()

describe("the warnings of an answer", () => {
  it("stand at the end of its object, whose other bytes stay", () => {
    expect(bodyOf(new Answer(200, json(200, {}).headers, '{"n":1e400,"big":12345678901234567890}'))).toBe(
      '{"n":1e400,"big":12345678901234567890,"warnings":["w"]}'
    )
    expect(bodyOf(json(201, {}))).toBe('{"warnings":["w"]}')
    expect(bodyOf(jsonBytes(Buffer.from('{"a":{"warnings":1}}')))).toBe('{"a":{"warnings":1},"warnings":["w"]}')
  })

  it("stand behind bytes that are not parsed: they may be a daemon's, and many", () => {
    const parse = vi.spyOn(JSON, "parse")
    const given = Buffer.from('{"result":{"warnings":[1e400,12345678901234567890]}}')
    const body = bodyOf(jsonBytes(given))
    expect(parse).not.toHaveBeenCalled()
    parse.mockRestore()
    expect(body).toBe('{"result":{"warnings":[1e400,12345678901234567890]},"warnings":["w"]}')
    expect(bodyOf(jsonBytes(Buffer.from("{}")))).toBe('{"warnings":["w"]}')
  })

  it("follow those of its route", () =>
    expect(JSON.parse(bodyOf(json(201, { a: 1, warnings: ["own"] })))).toEqual({ a: 1, warnings: ["own", "w"] }))

  it.each([
    ["a failure", json(400, {})],
    ["a list", json(200, [])],
    ["a text", new Answer(200, [["content-type", "text/plain"]], "{}")],
    ["no body", new Answer(204, [], undefined)],
    [
      "an answer that caches keep",
      json(200, {}, [
        ["etag", '"1"'],
        ["cache-control", "max-age=60"]
      ])
    ]
  ])("are left out of %s", (_, answer) => expect(withWarnings(answer, ["w"])).toBe(answer))
})
