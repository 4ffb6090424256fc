/**
 * @hey-api/openapi-ts: a generated client with a function per operation. It compiles in a program that calls all of
 * them, which tells the whole story to a real hub.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { uncalled, undeclared, ungiven } from "./coverage.ts"
import type { OpenApiDocument } from "./document-caller.ts"
import { type Workshop, workshop } from "./generated-client-folder.ts"
import { runTool } from "./outside-tools.ts"
import { type InhabitedHub, inhabitedHub } from "./scenario-hub.ts"

const configuration = {
  input: "openapi.json",
  // Node runs the generated files as they are
  output: { path: "generated/hey-api", importFileExtension: ".ts" },
  logs: { file: false, level: "error" }
}

describe.skipIf(inject("contractToolsMissing"))("@hey-api/openapi-ts", () => {
  let all: InhabitedHub
  let document: OpenApiDocument
  let shop: Workshop
  beforeAll(async () => {
    all = await inhabitedHub()
    document = (await (await fetch(`${all.world.url}/openapi.json`)).json()) as OpenApiDocument
    shop = workshop("hey-api", document)
  })
  afterAll(() => all?.close())

  it("generates a client from the document that compiles in a program which calls every operation", async () => {
    writeFileSync(join(shop.folder, "openapi-ts.config.mjs"), `export default ${JSON.stringify(configuration)}\n`)
    expect(await runTool("openapi-ts", ["--file", "openapi-ts.config.mjs"], shop.folder)).toMatchObject({ code: 0 })
    expect(await shop.compile()).toEqual({ code: 0, out: "", err: "" })
  })

  it("calls every operation of a hub with every parameter, and is answered and refused as declared", async () => {
    const log = await shop.tell(all.world)
    expect(uncalled(document, log)).toEqual([])
    expect(ungiven(document, log)).toEqual([])
    expect(undeclared(document, log)).toEqual([])
  })
})
