/** The search for planted secrets finds what it must, so that its silence means something. */
import { describe, expect, it } from "vitest"
import { makeKey, shownPrefix } from "../../../src/auth/api-key.ts"
import { fc, forAll } from "../../support/properties.ts"
import { plantedSecrets } from "./planted-secrets.ts"

const around = fc.string({ maxLength: 40 })

describe("a planted secret", () => {
  it.each([
    ["as it is", (secret: string) => secret],
    ["in a URL", (secret: string) => `http://h/?q=${encodeURIComponent(secret)}`],
    ["in JSON in JSON", (secret: string) => JSON.stringify(JSON.stringify({ secret }))],
    ["in hexadecimal", (secret: string) => Buffer.from(secret).toString("hex")],
    ["in upper-case hexadecimal", (secret: string) => Buffer.from(secret).toString("hex").toUpperCase()],
    ["in its first half", (secret: string) => secret.slice(0, 18)],
    ["in its second half", (secret: string) => secret.slice(18)]
  ])("is found %s, whatever stands around it", (_, write) => {
    const secrets = plantedSecrets()
    const secret = secrets.plant("it")
    forAll(around, around, (before, after) => {
      expect(secrets.in(before + write(secret) + after)).toEqual(["it"])
    })
  })

  it.each(["base64", "base64url"] as const)("is found in the middle of what is written in %s", (encoding) => {
    const secrets = plantedSecrets()
    const secret = secrets.plant("it")
    const bytes = secrets.learn(
      "bytes",
      Buffer.alloc(32).map((_, at) => 251 + at * 7)
    )
    forAll(around, around, (before, after) => {
      expect(secrets.in(Buffer.from(before + secret + after).toString(encoding))).toEqual(["it"])
      const whole = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)])
      expect(secrets.in(whole.toString(encoding))).toEqual(["bytes"])
    })
  })

  it("is not found in what a key's record shows of it, in another one, or in nothing", () => {
    const secrets = plantedSecrets()
    const key = secrets.learn("key", makeKey())
    expect(secrets.in(`${shownPrefix(key)}…`)).toEqual([])
    expect(secrets.in(makeKey())).toEqual([])
    expect(secrets.in("")).toEqual([])
    expect(secrets.in(key)).toEqual(["key"])
  })
})
