/** The encryption of push messages, by the example of RFC 8291 and by decryption. */
import { describe, expect, it } from "vitest"
import { areBrowserKeys, encryptMessage } from "../../../../src/domain/push/message-encryption.ts"
import { pushPlainBytesMax, pushRecordBytes } from "../../../../src/limits/push.ts"
import { anyText, forAll } from "../../../support/properties.ts"
import { decryptMessage, makeBrowser } from "../../../support/push/browser-keys.ts"

describe("a push message", () => {
  it("is that of the example of RFC 8291", () => {
    const example = {
      privateKey: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
      p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg"
    }
    const keys = {
      privateKey: Buffer.from("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "base64url"),
      salt: Buffer.from("DGv6ra1nlYgDCS1FRnbzlw", "base64url")
    }
    const text = "When I grow up, I want to be a watermelon"
    const body = encryptMessage(text, example, keys)
    expect(body.toString("base64url")).toBe(
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )
    expect(decryptMessage(body, example)).toBe(text)
  })

  it("is read by its browser and by no other, whatever its text, and never twice the same", () => {
    const [browser, other] = [makeBrowser(), makeBrowser()]
    forAll(30, anyText({ maxLength: 200 }), (text) => {
      const body = encryptMessage(text, browser)
      expect(decryptMessage(body, browser)).toBe(Buffer.from(text).toString())
      expect(() => decryptMessage(body, other)).toThrow()
      expect(encryptMessage(text, browser).equals(body)).toBe(false)
    })
  })

  it("fits what every push service takes, and a longer text is not encrypted", () => {
    const browser = makeBrowser()
    expect(encryptMessage("x".repeat(pushPlainBytesMax), browser).length).toBeLessThanOrEqual(pushRecordBytes)
    expect(() => encryptMessage("x".repeat(pushPlainBytesMax + 1), browser)).toThrow(RangeError)
  })

  it("takes a point of the curve and a secret of 16 bytes for the keys of a browser, and nothing else", () => {
    const keys = makeBrowser()
    const point = Buffer.from(keys.p256dh, "base64url")
    const off = Buffer.from(point)
    off[64]! ^= 1
    expect(areBrowserKeys(keys)).toBe(true)
    for (const p256dh of ["", "BA", off.toString("base64url"), point.subarray(0, 64).toString("base64url")])
      expect(areBrowserKeys({ ...keys, p256dh })).toBe(false)
    expect(areBrowserKeys({ ...keys, auth: "BTBZMqHH6r4Tts7J_aSI" })).toBe(false)
  })
})
