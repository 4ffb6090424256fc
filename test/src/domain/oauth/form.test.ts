/** Which parameters of a token request may come twice, and what finding that takes. */
import { describe, expect, it } from "vitest"
import { doubledIn } from "../../../../src/domain/oauth/form.ts"

/** Counts the names that are looked at. */
class CountedForm extends URLSearchParams {
  looks = 0

  override getAll(name: string): Array<string> {
    this.looks += this.size
    return super.getAll(name)
  }

  override *keys(): URLSearchParamsIterator<string> {
    for (const name of super.keys()) {
      this.looks++
      yield name
    }
  }
}

describe("a form", () => {
  it("names a parameter that came twice, but for a resource", () => {
    expect(doubledIn(new URLSearchParams("a=1&resource=x&b=2&resource=y"))).toBeUndefined()
    expect(doubledIn(new URLSearchParams("resource=x&resource=y&a=1&b=2&a=1"))).toBe("a")
    expect(doubledIn(new URLSearchParams("a&a"))).toBe("a")
  })

  it("of thousands of names is looked through once", () => {
    const form = new CountedForm(Array.from({ length: 5_000 }, (_, nth) => [`${nth}`, ""]))
    expect(doubledIn(form)).toBeUndefined()
    expect(form.looks).toBe(form.size)
  })
})
