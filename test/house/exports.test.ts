/** What a file exports has a reader. A type may be exported for the sake of the value that names it. */
import { describe, expect, it } from "vitest"
import { type HouseFile, houseFiles } from "./project-files.ts"

const exported = /^export (?:async )?(?:const|function\*?|class|enum) (\w+)/gmu

/** How many files name a word. */
const files = new Map<string, number>()
for (const { text } of houseFiles)
  for (const word of new Set(text.match(/\w+/gu))) files.set(word, (files.get(word) ?? 0) + 1)

/** What `@hub/client` exports is read by programs elsewhere. */
const ours = houseFiles.filter(({ path }) => !path.startsWith("client/"))

const unread = ({ path, text }: HouseFile): ReadonlyArray<string> =>
  [...text.matchAll(exported)].filter(([, name]) => files.get(name!) === 1).map(([, name]) => `${path}: ${name}`)

describe("an exported value", () => {
  it("is named by another file", () => {
    expect(ours.flatMap(unread)).toEqual([])
  })
})
