/** The credential of an Authorization header. */
import { expect, it } from "vitest"
import { bearerOf, wrongKindOf } from "../../../http/pipeline/bearer.ts"
import { fc, forAll } from "../../support/properties.ts"

it("the credential of an Authorization header is what follows the scheme, however the scheme is written, and no usable one where spaces are in it", () => {
  const scheme = fc.constantFrom("Bearer ", "bearer ", "BEARER  ", "Bearer  ", "Bearer", "Basic ", " Bearer ", "")
  const rest = fc.string({ unit: fc.constantFrom("a", "_", " ", "\t", "\u00a0", "é") })
  forAll(scheme, rest, (first, second) => {
    const header = first + second
    const meant = header === "" ? undefined : (/^bearer +(\S+)$/iu.exec(header)?.[1] ?? "")
    expect(bearerOf(header)).toBe(meant)
  })
})

it("a credential that is refused is named by what its beginning shows", () => {
  expect(wrongKindOf("hubd_x")).toContain("a daemon's token")
  expect(wrongKindOf("hubj_x")).toContain("a join key")
  for (const other of ["hub_x", "eyJx", "hubx"]) expect(wrongKindOf(other)).toBeUndefined()
})
