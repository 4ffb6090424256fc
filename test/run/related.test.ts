/** Which files a change reaches. */
import { describe, expect, it } from "vitest"
import { edgesOf, reached, relatedTests } from "./related.ts"

const all = new Set(["src/a.ts", "src/main.ts", "test/a.test.ts", "deploy/check.sh", "docs/a.md", "test/support/a.ts"])

it.each([
  ["what it imports", 'import { a } from "../src/a.ts"', ["src/a.ts"]],
  ["what it starts by its path from the root", 'spawn(node, ["src/main.ts", "start"])', ["src/main.ts"]],
  ["what it reads by a path in a template", "readFileSync(join(root, `docs/a.md`))", ["docs/a.md"]],
  ["nothing that only looks like a path", 'const sort = "text/plain" // of src/b.ts', []],
  [
    "nothing that it takes a type from, or tells of",
    'import type { A } from "../src/a.ts"\n// as "src/main.ts" does',
    []
  ],
  ["not itself", 'const own = "test/a.test.ts"', []]
])("a file leads to %s", (_, text, found) => expect(edgesOf("test/a.test.ts", text, all)).toEqual(found))

describe("a change", () => {
  it("reaches who uses the file, and who uses that, also in a circle", () => {
    const graph = new Map([
      ["a", ["b"]],
      ["b", ["c", "a"]],
      ["c", []],
      ["d", ["e"]]
    ])
    expect([...reached(graph, ["c"])].sort()).toEqual(["a", "b", "c"])
  })

  it("of a pure rule reaches its test and the house rules", () => {
    const found = relatedTests(["src/domain/daemon/tags.ts"])
    expect(found).toContain("test/src/domain/daemon/tags.test.ts")
    expect(found).toContain("test/house/")
  })

  it("of a statement reaches the tests that start the hub as a process", () => {
    expect(relatedTests(["src/store/daemons/presence-statements.ts"])).toContain(
      "test/acts/takeover/killed-node.faults.test.ts"
    )
  })

  it("of a file that is not there is refused with a sentence", () =>
    expect(relatedTests(["src/nowhere.ts"])).toBe("src/nowhere.ts is no file of the project that a test can reach"))
})
