/** The generated reference: how often it is built. */
import { expect, it } from "vitest"
import { Api } from "../../../http/api/api.ts"
import { toolsOf } from "../../../http/mcp/tools.ts"
import { asyncReferenceOf } from "../../../http/reference/asyncapi.ts"
import { referenceOf } from "../../../http/reference/document.ts"

it("the reference is built once for all who ask for the same address", () => {
  const reference = referenceOf(Api, "https://hub.example.org")
  const text = JSON.stringify(reference.document)
  toolsOf(reference)
  asyncReferenceOf(reference, "https://hub.example.org")
  expect(referenceOf(Api, "https://hub.example.org")).toBe(reference)
  expect(JSON.stringify(reference.document)).toBe(text)
})

it("the reference names the address that it is asked for", () => {
  expect(referenceOf(Api, "https://a.example.org").document["servers"]).toEqual([{ url: "https://a.example.org" }])
  expect(referenceOf(Api, "/").document["servers"]).toEqual([{ url: "/" }])
})
