/** A POST over a line on which connecting takes a second, to a name whose other address no route leads to. */
import { expect, it } from "vitest"
import { foreignName, runInNetwork } from "../../support/foreign/network.ts"
import { has } from "../../support/machine.ts"

it.skipIf(!has.slowNetwork)(
  "a receiver that is slow to connect to is reached, beside an address without a route",
  async () => {
    const said = await runInNetwork(["slow"], "test/src/outbound/post-program.ts", [foreignName])
    expect(JSON.parse(said)).toMatchObject({ statusCode: 200 })
  }
)
