/** The maximum length of texts in request bodies: at each bound, and one character beyond. */
import { Exit, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { Api } from "../../../http/api/api.ts"
import { Path, Word } from "../../../http/api/shapes.ts"
import { type Decoders, decodersOf } from "../../../http/pipeline/decode.ts"
import {
  daemonNameCharsMax,
  packageDescriptionCharsMax,
  packageVersionCharsMax,
  packageWordCharsMax,
  pathCharsMax,
  wordCharsMax
} from "../../../src/limits.ts"

const bytesMax = 100_000
const decoders = new Map<string, Decoders>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    decoders.set(`${group.identifier}.${endpoint.identifier}`, decodersOf(endpoint, bytesMax))
  }
})

/** Whether a body with this member of so many characters is taken. */
const takes = (id: string, body: object, member: string, chars: number): boolean => {
  const text = JSON.stringify({ ...body, [member]: "w".repeat(chars) })
  return "value" in decoders.get(id)!.payload({ kind: "whole", text })
}
const publication = { type: "kit", version: "1.0.0", channel: "preview" }

describe("a text in a body", () => {
  it.each([
    ["daemons.enroll", {}, "name", daemonNameCharsMax],
    ["registry.publish", publication, "type", packageWordCharsMax],
    ["registry.publish", publication, "version", packageVersionCharsMax],
    ["registry.publish", publication, "name", packageWordCharsMax],
    ["registry.publish", publication, "displayName", packageWordCharsMax],
    ["registry.publish", publication, "category", packageWordCharsMax],
    ["registry.publish", publication, "description", packageDescriptionCharsMax]
  ] as const)("of %s %j as its %s has %i characters at most", (id, body, member, most) => {
    expect([takes(id, body, member, most), takes(id, body, member, most + 1)]).toEqual([true, false])
  })

  it.each([
    ["a word", Word, wordCharsMax],
    ["a folder", Path, pathCharsMax]
  ] as const)("that is %s has %s characters at most", (_, schema, most) => {
    const fits = (chars: number) => Exit.isSuccess(Schema.decodeUnknownExit(schema)("w".repeat(chars)))
    expect([fits(most), fits(most + 1)]).toEqual([true, false])
  })
})
