/** What opens connections, made with the first of them. */
import { expect, it } from "vitest"
import { makeConnector } from "../../../src/outbound/connector.ts"

const failure = (options: object, hostname = "127.0.0.1"): Promise<Error | null> =>
  new Promise((told) => {
    makeConnector(options)({ hostname, protocol: "http:", port: "1" }, (...[error]) => told(error))
  })

it("tells of a connection that is refused", async () =>
  expect(await failure({})).toMatchObject({ code: "ECONNREFUSED" }))

it("fails a connection where it cannot be made, and where opening one throws", async () => {
  expect(await failure({ maxCachedSessions: -1 })).toMatchObject({ code: "UND_ERR_INVALID_ARG" })
  expect(await failure({ lookup: "none" }, "localhost")).toMatchObject({ code: "ERR_INVALID_ARG_TYPE" })
})
