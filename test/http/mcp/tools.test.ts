/** The tools as they are made from the contract: each operation is one, or is none for a reason; schemas are whole. */
import { describe, expect, it } from "vitest"
import { Api } from "../../../http/api/api.ts"
import { isTool, toolsOf } from "../../../http/mcp/tools.ts"
import { referenceOf } from "../../../http/reference/document.ts"

const reference = referenceOf(Api, "/")
const tools = [...toolsOf(reference).values()]

/** Every `$ref` of a schema. */
const refsOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => (name === "$ref" ? [String(one)] : refsOf(one)))
}

describe("the tools of the contract", () => {
  it("leave out these operations of keys without streams, and no other", () => {
    const groups = new Set(["system", "auth", "deviceCodes", "reference", "turn"])
    const left = reference.operations.filter(
      (one) =>
        !isTool(one) &&
        !groups.has(one.tag) &&
        one.access.kind !== "session" &&
        one.access.kind !== "joinKey" &&
        one.access.recent !== true &&
        one.access.streams === undefined
    )
    expect(left.map(({ spec }) => spec["operationId"])).toEqual(
      `pushSubscriptions.answer shortcuts.debugWith jobs.results events.listenSecret registry.download
      registry.downloadHead registry.publish`.split(/\s+/u)
    )
  })

  it("have names and schemas that every client takes", () => {
    for (const { definition } of tools) {
      expect(definition.name).toMatch(/^[a-z][a-z_]{2,63}$/u)
      expect(definition.inputSchema.type).toBe("object")
      expect(definition.outputSchema!["type"]).toBe("object")
    }
  })

  it("have schemas that stand alone", () => {
    for (const { definition } of tools) {
      for (const schema of [definition.inputSchema, definition.outputSchema!]) {
        const defs = Object.keys((schema["$defs"] ?? {}) as object).map((name) => `#/$defs/${name}`)
        expect(refsOf(schema).filter((ref) => !defs.includes(ref))).toEqual([])
      }
    }
  })

  it("read only where the method does", () => {
    const readers = tools.filter(({ definition }) => definition.annotations!.readOnlyHint === true)
    expect(readers.every(({ definition }) => definition.annotations!.destructiveHint === false)).toBe(true)
    expect(
      readers.map(({ definition }) => definition.name).filter((name) => !/^(?:get|list|read)_/u.test(name))
    ).toEqual([])
    expect(tools.length - readers.length).toBeGreaterThan(5)
  })

  it("take path, query and body as one object, and what they need is required", () => {
    const { inputSchema } = tools.find(({ definition }) => definition.name === "send_chat_message")!.definition
    expect(Object.keys(inputSchema.properties!)).toEqual(
      "ideId wait timeoutSeconds message input agentType idempotencyKey".split(" ")
    )
    expect(inputSchema.required).toEqual(["ideId"])
  })
})
