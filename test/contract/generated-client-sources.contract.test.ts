/**
 * The client's generated files are what the contract makes of them.
 * `./hub test test/contract/generated-client-sources.contract.test.ts -u` writes them.
 */
import { describe, expect, inject, it } from "vitest"
import { Api } from "../../http/api/api.ts"
import { referenceOf } from "../../http/reference/document.ts"
import { type Contract, clientOperations, clientTypes } from "./generated-client-sources.ts"

const contract = referenceOf(Api, "http://127.0.0.1:8080").document as Contract
const folder = "../../client/src/generated"

describe("the client's generated files", () => {
  it.skipIf(inject("contractToolsMissing"))(
    "have the types of every schema and operation of the contract",
    async () => {
      await expect(await clientTypes(contract)).toMatchFileSnapshot(`${folder}/contract.ts`)
    }
  )

  it("have a row for every operation of the contract that a program calls", () =>
    expect(clientOperations(contract)).toMatchFileSnapshot(`${folder}/operations.ts`))
})
