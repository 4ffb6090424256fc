/** The head of a request: what is parsed, and which framing is ambiguous. */
import { describe, expect, it } from "vitest"
import { type HeadSource, readHead, unreadable } from "../../../http/native/request-head.ts"
import { fc, forAll } from "../../support/properties.ts"

type Lines = ReadonlyArray<readonly [name: string, value: string]>

const source = (lines: Lines): HeadSource => ({
  getHeader: (wanted) => lines.find(([name]) => name === wanted)?.[1] ?? "",
  forEach: (each) => {
    for (const [name, value] of lines) each(name, value)
  }
})
const read = (lines: Lines) => readHead(source(lines))
const length = ["content-length", "2"] as const
const chunks = ["transfer-encoding", "chunked"] as const

describe("the head of a request", () => {
  it("is read the same with a body as without one: the first of several lines counts, also an empty one", () => {
    const name = fc.constantFrom("authorization", "x-request-id", "idempotency-key", "host", "accept")
    const lines = fc.uniqueArray(fc.tuple(name, fc.string()), { selector: ([one]) => one })
    const again = fc.array(fc.tuple(name, fc.string()))
    forAll(lines, again, (first, more) => {
      const { framing: _, ...without } = read([...first, ...more])
      expect(read([...first, ...more, length])).toMatchObject(without)
    })
  })

  it("says whether its connection is closed behind the answer, and whether the library does it", () => {
    const wish = (...values: ReadonlyArray<string>) => read(values.map((one) => ["connection", one])).afterAnswer
    for (const kept of [[], ["keep-alive"], ["te"], ["closed, te"], ["keep-alive", "te"]])
      expect(wish(...kept)).toBe("kept")
    for (const one of [["TE, close"], ["close, te"], ["te", "close"], ["keep-alive, Close"]])
      expect(wish(...one)).toBe("closed")
    for (const one of [["close"], ["CLOSE"], ["close", "keep-alive"], ["other"]])
      expect(wish(...one)).toBe("closed by the library")
  })

  it("tells a value of which the library shows nothing from a line that is not there, with a body and without", () => {
    const shown = [
      ["authorization", ""],
      ["idempotency-key", ""]
    ] as const
    for (const lines of [shown, [...shown, length]])
      expect(read(lines)).toMatchObject({ authorization: unreadable, idempotencyKey: unreadable })
    expect(read([])).toMatchObject({ authorization: "", idempotencyKey: "" })
  })

  it("keeps nothing of the request before it", () => {
    read([
      ["authorization", "Bearer a"],
      ["accept", "g"],
      ["x-request-id", "b"],
      ["idempotency-key", "c"],
      length,
      length
    ])
    read([
      ["traceparent", "d"],
      ["tracestate", "e"],
      ["connection", "close"],
      ["x-forwarded-for", "f"]
    ])
    expect(read([length])).toEqual({
      requestId: "",
      authorization: "",
      accept: "",
      idempotencyKey: "",
      framing: "length",
      afterAnswer: "kept",
      isForwarded: false,
      trace: "",
      wanted: []
    })
  })

  it.each<[string, Lines]>([
    ["a length given twice", [length, length]],
    ["an empty length before another", [["content-length", ""], length]],
    ["an empty length", [["content-length", ""]]],
    ["a length that is no plain digits", [["content-length", "+2"]]],
    ["a length without end", [["content-length", "1".repeat(16)]]],
    ["a second host", [["host", "a"], length, ["host", "b"]]],
    ["another coding than chunked", [["transfer-encoding", "gzip, chunked"]]],
    ["an empty coding before chunked", [["transfer-encoding", ""], chunks]],
    ["chunked given twice", [chunks, chunks]],
    ["a length and chunks", [length, chunks]],
    ["a length and an empty coding", [length, ["transfer-encoding", ""]]]
  ])("frames its body unclearly by %s", (_, lines) => expect(read(lines).framing).toBe("unclear"))

  it.each<[string | undefined, string, Lines]>([
    [
      "two credentials",
      "two different ones",
      [
        ["authorization", "Bearer a"],
        ["authorization", "Bearer b"]
      ]
    ],
    [
      "two credentials",
      "an empty one before another",
      [
        ["authorization", ""],
        ["authorization", "Bearer b"]
      ]
    ],
    [
      undefined,
      "the same one twice",
      [
        ["authorization", "Bearer a"],
        ["authorization", "Bearer a"]
      ]
    ],
    ["no JSON", "a form with files", [["content-type", "multipart/form-data; boundary=x"]]],
    ["no JSON", "XML", [["content-type", "application/xml"]]],
    ["no JSON", "bytes", [["content-type", "application/octet-stream"]]],
    [
      "no JSON",
      "an encoding",
      [
        ["content-type", "application/json"],
        ["content-encoding", "gzip"]
      ]
    ],
    [undefined, "no encoding", [["content-encoding", "identity"]]],
    [undefined, "JSON", [["content-type", "Application/JSON ; charset=utf-8"]]],
    [undefined, "a kind of JSON", [["content-type", "application/merge-patch+json"]]],
    [undefined, "text, as of fetch", [["content-type", "text/plain;charset=UTF-8"]]],
    [undefined, "a form, as of curl", [["content-type", "application/x-www-form-urlencoded"]]],
    [undefined, "an empty type", [["content-type", ""]]]
  ])("has the fault %j where it has %s", (fault, _, lines) => expect(read(lines).fault).toBe(fault))

  it.each<[string, string, Lines]>([
    ["length", "one length", [["host", "a"], length]],
    ["chunks", "chunks", [["transfer-encoding", "Chunked"]]],
    ["none", "neither", [["host", "a"]]]
  ])("frames its body by %s where it has %s", (framing, _, lines) => expect(read(lines).framing).toBe(framing))
})
