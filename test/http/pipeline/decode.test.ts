/** Decoding parameters, query strings and bodies, and the depth of JSON. */
import { isDeepStrictEqual } from "node:util"
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { Api } from "../../../http/api/api.ts"
import { Daemons } from "../../../http/api/daemons.ts"
import { Jobs } from "../../../http/api/jobs.ts"
import { optional } from "../../../http/api/optional.ts"
import { decodersOf, readQuery } from "../../../http/pipeline/decode.ts"
import { readerOf } from "../../../http/pipeline/schema-reader.ts"
import type { Issue } from "../../../src/errors.ts"
import { explainedValuesMax } from "../../../src/limits/edge.ts"
import { bodyValuesMax } from "../../../src/limits.ts"
import { anyText, fc, forAll } from "../../support/properties.ts"

const endpoint = HttpApiEndpoint.post("act", "/things/:kind/parts/:id", {
  params: { kind: Schema.Literals(["a", "b"]), id: Schema.String },
  query: {
    limit: Schema.optionalKey(Schema.Int),
    tag: Schema.optionalKey(Schema.Array(Schema.String)),
    deep: Schema.optionalKey(Schema.Boolean)
  },
  payload: Schema.Struct({ name: Schema.String }),
  success: Schema.Struct({})
})
const decoders = decodersOf(endpoint as never, 100)
const whole = (text: string) => ({ kind: "whole", text }) as const
const reads = (text: string) => decoders.payload(whole(text))
const refusal = (decoded: object) => ("failure" in decoded ? (decoded.failure as { _tag: string })._tag : undefined)

describe("parameters", () => {
  it("are decoded once", () =>
    expect(decoders.params(["a", "x%253Ay%2F"])).toEqual({ value: { kind: "a", id: "x%3Ay/" } }))

  it.each([
    ["c", "x"],
    ["a", "%"],
    ["a", "%ff"],
    ["a", ""]
  ])("answer NotFound to %j %j", (kind, id) => expect(refusal(decoders.params([kind, id]))).toBe("NotFound"))
})

describe("a query", () => {
  it("is read with + as a space, repeated names as their last value, and names without a value as empty", () =>
    expect({ ...readQuery("a=1+2&b=%2B&b=3&c&&d=") }).toEqual({ a: "1 2", b: "3", c: "", d: "" }))

  it("is read with a list of all its values for a name that may be one", () =>
    expect(readQuery("b=%2B&b=3&b=4&a=1&a=2", new Set(["b"]))).toEqual({ a: "2", b: ["+", "3", "4"] }))

  it("counts a name that is no list by its last value", () => {
    expect(decoders.query("limit=x&limit=2&deep=no&deep=true")).toEqual({ value: { limit: 2, deep: true } })
    expect(refusal(decoders.query("limit=1&limit=x"))).toBe("ValidationFailed")
  })

  it("with broken %-encoding is undefined", () => {
    expect(readQuery("a=%zz")).toBeUndefined()
    expect(refusal(decoders.query("a=%zz"))).toBe("ValidationFailed")
  })

  it("decodes numbers, truth values and lists, one element or many", () => {
    expect(decoders.query("limit=20&tag=x&deep=true")).toEqual({ value: { limit: 20, tag: ["x"], deep: true } })
    expect(decoders.query("tag=x&tag=y")).toEqual({ value: { tag: ["x", "y"] } })
  })

  it.each(["limit=", "limit=1.5", "limit=x", "deep=yes", "limit=1e999"])("refuses %s", (text) =>
    expect(refusal(decoders.query(text))).toBe("ValidationFailed")
  )

  it("ignores names that the contract does not know, `__proto__` among them, and tells of them", () => {
    expect(decoders.query("__proto__=1&constructor=2&limits=3")).toEqual({
      value: {},
      unknown: [
        { path: "constructor", message: "is no parameter that this call takes" },
        { path: "limits", message: "is no parameter that this call takes; did you mean limit?" }
      ]
    })
  })

  it("never throws, whatever it is", () =>
    forAll(anyText(), (text) => {
      const decoded = decoders.query(text)
      expect("value" in decoded || "failure" in decoded).toBe(true)
    }))
})

describe("what is asked for as nothing but strings", () => {
  const names = { channel: Schema.optionalKey(Schema.String), limit: Schema.String }
  const plain = HttpApiEndpoint.get("read", "/things/:limit", {
    params: { limit: Schema.String },
    query: names,
    headers: names,
    success: Schema.Struct({})
  })
  const read = decodersOf(plain as never, 100)

  it("is read as its schema would read it, whatever it is", () => {
    const name = fc.constantFrom("channel", "limit", "__proto__", "constructor", "")
    const pair = fc.tuple(name, anyText()).map(([key, value]) => `${key}=${value}`)
    const bySchema = Schema.decodeUnknownExit(Schema.Struct(names))
    forAll(fc.array(pair, { maxLength: 4 }), (pairs) => {
      const text = pairs.join("&")
      const decoded = read.query(text)
      const given = readQuery(text)
      const meant = given === undefined ? undefined : bySchema(given)
      if (meant?._tag === "Success") expect(decoded).toMatchObject({ value: meant.value })
      else expect(refusal(decoded)).toBe("ValidationFailed")
    })
  })

  it("is refused where a name is missing, and its last value counts where it is given twice", () => {
    expect(refusal(read.query("channel=a"))).toBe("ValidationFailed")
    expect(read.query("limit=1&limit=2")).toEqual({ value: { limit: "2" } })
    expect(read.query("limit=1&other=2")).toMatchObject({ value: { limit: "1" } })
  })

  it("is taken from the headers by the names of the contract, and one that is not there is absent", () => {
    expect(read.headerNames).toEqual(["channel", "limit"])
    expect(read.headers(["", "5"])).toEqual({ value: { limit: "5" } })
    expect(refusal(read.headers(["a", ""]))).toBe("ValidationFailed")
  })
})

describe("a body of nothing but strings, flags and whole objects", () => {
  const members = {
    type: Schema.String,
    name: Schema.optionalKey(Schema.String),
    note: optional(Schema.String),
    quiet: optional(Schema.Boolean),
    seconds: optional(Schema.Finite, "A type with a check"),
    payload: optional(Schema.Record(Schema.String, Schema.Unknown))
  }
  const act = HttpApiEndpoint.post("act", "/", { payload: Schema.Struct(members), success: Schema.Struct({}) })
  const bySchema = Schema.decodeUnknownExit(Schema.Struct(members))
  const strictly = Schema.decodeUnknownExit(Schema.Struct(members), { onExcessProperty: "error" })
  const member = fc.constantFrom(
    "type",
    "name",
    "note",
    "quiet",
    "seconds",
    "payload",
    "__proto__",
    "constructor",
    "more"
  )
  const given = fc.oneof(
    fc.dictionary(member, fc.oneof(fc.string(), fc.boolean(), fc.jsonValue({ maxDepth: 2 }))),
    fc.record({ type: fc.string(), seconds: fc.oneof(fc.double(), fc.constant(null)) }),
    fc.record({ type: fc.string(), payload: fc.dictionary(member, fc.jsonValue({ maxDepth: 1 })) }),
    fc.jsonValue({ maxDepth: 2 })
  )

  it("is read as its schema would read it, ignoring what it does not name and telling of it", () => {
    const read = decodersOf(act as never, 1_000)
    forAll(given, (value) => {
      const text = JSON.stringify(value)
      const meant = bySchema(JSON.parse(text))
      const decoded = read.payload(whole(text))
      if (meant._tag === "Success") {
        expect("value" in decoded && isDeepStrictEqual(decoded.value, meant.value)).toBe(true)
        expect("unknown" in decoded).toBe(strictly(JSON.parse(text))._tag !== "Success")
      } else expect(refusal(decoded)).toBe("ValidationFailed")
    })
  })

  it.each(["1e999", "[-1e999]", '{"deep":[{"er":1e999}]}', `1${"0".repeat(400)}`])(
    "is refused where a number is beyond all that can be passed on: %s",
    (number) => {
      const read = decodersOf(act as never, 1_000)
      expect(refusal(read.payload(whole(`{"type":"a","payload":{"n":${number}}}`)))).toBe("ValidationFailed")
    }
  )

  it("is taken member by member as it was parsed: that of a raw command needs no schema", () => {
    const { payload } = Daemons.endpoints.command
    const read = readerOf<{ payload: object }>(payload.get("application/json")?.schemas[0])
    const given = { type: "read_chat", payload: { agentType: "a" }, timeoutSeconds: 5 }
    const decoded = read?.(given)
    expect(decoded).toEqual({ value: given })
    // a schema would have made another
    expect(decoded !== undefined && "value" in decoded && decoded.value.payload).toBe(given.payload)
  })

  it.each(["", " ", "\n\t "])("counts as {} where it is blank: %j", (text) => {
    const all = { ...members, type: Schema.optionalKey(Schema.String) }
    const lax = HttpApiEndpoint.post("act", "/", { payload: Schema.Struct(all), success: Schema.Struct({}) })
    expect(decodersOf(lax as never, 100).payload(whole(text))).toEqual({ value: {} })
  })
})

describe("a body", () => {
  it("names 32 unknown members at most, at every depth that the contract names, each with what was meant", () => {
    const { payload } = decodersOf(Jobs.endpoints.start as never, 100_000)
    const given = { typ: "x", type: "read_chat", payload: { any: 1 }, rollout: { concurency: 5 }, all: true }
    expect(payload(whole(JSON.stringify(given)))).toMatchObject({
      unknown: [
        { path: "typ", message: "is no member that this call takes; did you mean type?" },
        { path: "rollout.concurency", message: "is no member that this call takes; did you mean concurrency?" }
      ]
    })
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, nth) => [`${nth}${"x".repeat(80)}`, nth]))
    const wide = payload(whole(JSON.stringify({ ...given, ...many }))) as { readonly unknown: ReadonlyArray<Issue> }
    expect([wide.unknown.length, wide.unknown.at(-1)!.path.length]).toEqual([32, 64])
  })

  it.each(["null", "[]", "7", '"x"'])("that is %s is told by every endpoint what is expected", (text) => {
    const groups: ReadonlyArray<{ readonly endpoints: object }> = Object.values(Api.groups)
    const endpoints = groups.flatMap((group) => Object.values(group.endpoints))
    const told = endpoints.flatMap((endpoint) => {
      const { takesBody, payload } = decodersOf(endpoint as never, 100)
      const decoded = takesBody ? payload(whole(text)) : undefined
      return decoded !== undefined && "failure" in decoded ? [JSON.stringify(decoded.failure)] : []
    })
    expect(told.length).toBeGreaterThan(30)
    expect(told.filter((one) => !one.includes('"Expected an object"'))).toEqual([])
  })

  it("is decoded", () => expect(reads('{"name":"n"}')).toEqual({ value: { name: "n" } }))

  it("has a replacement in the place of half a character, and keeps whole ones", () =>
    expect(reads(String.raw`{"name":"a\ud83db\ud83d\ude00"}`)).toEqual({ value: { name: "a\ufffdb😀" } }))

  it("with a member named __proto__ changes nobody's prototype", () => {
    reads('{"name":"n","__proto__":{"polluted":true}}')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it("over the bound is PayloadTooLarge, without room Overloaded", () => {
    expect(refusal(decoders.payload({ kind: "too large" }))).toBe("PayloadTooLarge")
    expect(refusal(decoders.payload({ kind: "no room" }))).toBe("Overloaded")
  })

  it("never throws, whatever it is", () =>
    forAll(fc.oneof(fc.string(), fc.json(), anyText()), (text) => {
      const decoded = reads(text)
      expect("value" in decoded || refusal(decoded) === "ValidationFailed").toBe(true)
    }))

  it.each([
    ["32 places that do not fit", explainedValuesMax - 1, 32],
    ["of more values than are explained the first place that does not fit, and looks at none behind", bodyValuesMax, 1]
  ])("names at most %s", (_, values, issues) => {
    let looked = 0
    const one = Schema.Int.check(Schema.makeFilter(() => ++looked < 0))
    const wide = HttpApiEndpoint.post("act", "/", { payload: Schema.Array(one), success: Schema.Struct({}) })
    const decoded = decodersOf(wide as never, 100_000).payload(whole(JSON.stringify(Array(values - 1).fill(1))))
    expect(decoded).toMatchObject({ failure: { issues: { length: issues } } })
    expect(looked).toBeLessThan(2 * explainedValuesMax)
  })
})

describe("the number of values of a body", () => {
  const open = HttpApiEndpoint.post("act", "/", {
    payload: Schema.Record(Schema.String, Schema.Unknown),
    success: Schema.Struct({})
  })
  const { payload } = decodersOf(open as never, 1_000_000)
  // the object, the name of its member, the list and its numbers
  const bodyOf = (values: number): string => JSON.stringify({ list: Array(values - 3).fill(12) })

  it(`is at most ${bodyValuesMax}`, () => {
    expect(payload(whole(bodyOf(bodyValuesMax)))).toHaveProperty("value")
    expect(payload(whole(bodyOf(bodyValuesMax + 1)))).toMatchObject({
      failure: { issues: [{ path: "", message: `The body holds more than ${bodyValuesMax} values` }] }
    })
  })

  it("is not bounded by the characters of a text", () =>
    expect(payload(whole(JSON.stringify({ text: '[{",:'.repeat(bodyValuesMax) })))).toHaveProperty("value"))
})
