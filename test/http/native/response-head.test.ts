/** The bytes of a head: what its parts say, one behind the other, however long they are. */
import { expect, it } from "vitest"
import { headBytes } from "../../../http/native/response-head.ts"
import { Head } from "../../../http/pipeline/response.ts"
import { fc } from "../../support/properties.ts"

const text = fc.string({ unit: "grapheme", maxLength: 3_000 })
const limit = fc.oneof(fc.constant(";t="), fc.nat(), fc.maxSafeNat())

it("a head is its parts, one behind the other", () => {
  fc.assert(
    fc.property(text, fc.array(limit, { maxLength: 10 }), fc.boolean(), text, (common, limits, closes, own) => {
      const said = `req_1${common}${limits.join("")}${closes ? "\r\nconnection: close" : ""}${own}`
      expect(Buffer.from(headBytes("req_1", new Head(common), limits, closes, new Head(own))).toString()).toBe(said)
    })
  )
})
