/** The parameters of an endpoint's path. */
import { describe, expect, it } from "vitest"
import { filledPath, parameterNames, templateOf } from "../../../http/pipeline/path-parameters.ts"

const path = "/things/:kind/parts/:id"

describe("the parameters of a path", () => {
  it("are named in their order", () => {
    expect(parameterNames(path)).toEqual(["kind", "id"])
    expect(parameterNames("/things")).toEqual([])
  })

  it("stand in braces in its template", () => expect(templateOf(path)).toBe("/things/{kind}/parts/{id}"))

  it("give way to values, taken as they are, and to nothing where one is missing", () => {
    expect(filledPath(path, ["a$1", "%2F"])).toBe("/things/a$1/parts/%2F")
    expect(filledPath(path, ["a"])).toBe("/things/a/parts/")
  })
})
