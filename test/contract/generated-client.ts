/** The tests of one typed program: its client is generated, it compiles, and it tells the whole story to a real hub. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { uncalled, undeclared, ungiven } from "./coverage.ts"
import type { OpenApiDocument } from "./document-caller.ts"
import { type Workshop, workshop } from "./generated-client-folder.ts"
import type { Ended } from "./outside-tools.ts"
import { type InhabitedHub, inhabitedHub } from "./scenario-hub.ts"

/** Tests a program of generated-clients/ with the client that `generate` makes in its folder. */
export const typedProgram = (name: string, program: string, generate: (folder: string) => Promise<Ended>): void => {
  describe.skipIf(inject("contractToolsMissing"))(name, () => {
    let all: InhabitedHub
    let document: OpenApiDocument
    let shop: Workshop
    beforeAll(async () => {
      all = await inhabitedHub()
      document = (await (await fetch(`${all.world.url}/openapi.json`)).json()) as OpenApiDocument
      shop = workshop(program, document)
    })
    afterAll(() => all?.close())

    it("generates a client from the document that compiles in a program which calls every operation", async () => {
      expect(await generate(shop.folder)).toMatchObject({ code: 0 })
      expect(await shop.compile()).toEqual({ code: 0, out: "", err: "" })
    })

    it("calls every operation of a hub with every parameter, and is answered and refused as declared", async () => {
      const log = await shop.tell(all.world)
      expect(uncalled(document, log)).toEqual([])
      expect(ungiven(document, log)).toEqual([])
      expect(undeclared(document, log)).toEqual([])
    })
  })
}
