/** Every endpoint that may change something is audited, or is said not to be. */
import { HttpApi } from "effect/http-api"
import { expect, it } from "vitest"
import { Api } from "../../../http/api/api.ts"
import {
  auditedEndpoints,
  notedEndpoints,
  selfNotingEndpoints,
  unauditedEndpoints
} from "../../../http/pipeline/audited-endpoints.ts"

it("leaves out no endpoint that is not a read, and names none that is not there", () => {
  const all = new Set<string>()
  const writes = new Set<string>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ group, endpoint }) => {
      const id = `${group.identifier}.${endpoint.identifier}`
      all.add(id)
      if (endpoint.method !== "GET") writes.add(id)
    }
  })
  const audited = Object.keys(auditedEndpoints)
  const named = new Set([...audited, ...unauditedEndpoints])
  expect([...writes].filter((id) => !named.has(id))).toEqual([])
  expect([...named].filter((id) => !all.has(id))).toEqual([])
  expect([...notedEndpoints, ...selfNotingEndpoints].filter((id) => !audited.includes(id))).toEqual([])
})
