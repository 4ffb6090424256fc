/** The head of a request: the same by a walk over its lines as by looks, and which framing is ambiguous. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type HeadSource, readHead, unreadable } from "../../../http/head.ts"

type Lines = ReadonlyArray<readonly [name: string, value: string]>

const source = (lines: Lines): HeadSource => ({
  getHeader: (wanted) => lines.find(([name]) => name === wanted)?.[1] ?? "",
  forEach: (each) => {
    for (const [name, value] of lines) each(name, value)
  }
})
const read = (lines: Lines) => readHead(source(lines), true)
const length = ["content-length", "2"] as const

describe("the head of a request", () => {
  it("is read the same with a body as without one: the first of several lines counts", () => {
    const name = fc.constantFrom("authorization", "x-request-id", "idempotency-key", "host", "accept")
    const lines = fc.uniqueArray(fc.tuple(name, fc.string()), { selector: ([one]) => one })
    const again = fc.array(fc.tuple(name, fc.string()))
    fc.assert(
      fc.property(lines, again, (first, more) => {
        const { ambiguous: _, ...without } = read([...first, ...more])
        expect(read([...first, ...more, length])).toMatchObject(without)
      })
    )
  })

  it("has no Idempotency-Key where none is wanted and nothing is framed", () => {
    expect(readHead(source([["idempotency-key", "k"]]), false).idempotencyKey).toBe("")
  })

  it("tells a value of which the library shows nothing from a line that is not there, with a body and without", () => {
    const shown = [
      ["authorization", ""],
      ["idempotency-key", ""]
    ] as const
    for (const lines of [shown, [...shown, length]]) {
      expect(read(lines)).toMatchObject({ authorization: unreadable, idempotencyKey: unreadable })
    }
    expect(read([])).toMatchObject({ authorization: "", idempotencyKey: "" })
  })

  it("keeps nothing of the request before it", () => {
    read([["authorization", "Bearer a"], ["x-request-id", "b"], ["idempotency-key", "c"], length, length])
    expect(read([length])).toEqual({ requestId: "", authorization: "", idempotencyKey: "", ambiguous: false })
  })

  it.each<[string, Lines]>([
    ["a length given twice", [length, length]],
    ["a length that is no plain digits", [["content-length", "+2"]]],
    ["a length without end", [["content-length", "1".repeat(16)]]],
    ["a second host", [["host", "a"], length, ["host", "b"]]],
    ["another coding than chunked", [["transfer-encoding", "gzip, chunked"]]]
  ])("is ambiguous by %s", (_, lines) => {
    expect(read(lines).ambiguous).toBe(true)
  })

  it.each<[string, Lines]>([
    ["one length", [["host", "a"], length]],
    ["chunks", [["transfer-encoding", "Chunked"]]],
    ["no body", [["host", "a"]]]
  ])("is not ambiguous by %s", (_, lines) => {
    expect(read(lines).ambiguous).toBe(false)
  })
})
