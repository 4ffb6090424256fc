/** What a 404 says is not there: in words, for everything that the path of a call names. */
import { Context, Option } from "effect"
import { HttpApi } from "effect/http-api"
import { expect, it } from "vitest"
import { AccessOf } from "../../../http/api/access.ts"
import { Api } from "../../../http/api/api.ts"
import { missingAt } from "../../../http/pipeline/missing-resource.ts"

it("has a word of the language for each parameter of a path", () => {
  const said: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      const access = Option.getOrThrow(Context.getOption(mergedAnnotations, AccessOf))
      said.push(missingAt(endpoint.path, access)(["x", "x", "x"]) ?? "")
    }
  })
  expect(said).toContain("approval x in this account")
  expect(said.filter((words) => /[a-z][A-Z]/u.test(words))).toEqual([])
})
