/** What every file of the project keeps to. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "../support/root.ts"
import { houseFiles, place, places } from "./project-files.ts"

const linesMax = 300
const hub = houseFiles.filter(({ path }) => /^(?:src|actors|http)\//u.test(path))
const tests = houseFiles.filter(({ path }) => path.endsWith(".test.ts"))

describe("every file", () => {
  it(`has at most ${linesMax} lines`, () => {
    const long = houseFiles
      .map((file) => ({ path: file.path, lines: file.text.trimEnd().split("\n").length }))
      .filter(({ lines }) => lines > linesMax)
    expect(long.map(({ path, lines }) => `${path}:${lines}  more than ${linesMax} lines`)).toEqual([])
  })

  it("begins with a comment that says what it owns", () => {
    const bare = houseFiles.filter(({ text }) => !/^(?:#![^\n]*\n)?\/\*\*[\s\S]{20,}?\*\//u.test(text))
    expect(bare.map(({ path }) => `${path}:1`)).toEqual([])
  })

  it("has comments of at most 120 columns", () => {
    const long = houseFiles.flatMap(({ path, text }) =>
      text
        .split("\n")
        .map((line, at) => ({ line, at: `${path}:${at + 1}` }))
        .filter(({ line }) => /^\s*(?:\/\*\*|\*|\/\/)/u.test(line) && [...line].length > 120)
        .map(({ at }) => at)
    )
    expect(long).toEqual([])
  })

  it("is named in kebab-case", () => {
    const odd = houseFiles.filter(
      ({ path }) =>
        !/^(?:[a-z0-9][a-z0-9-]*\/)*(?:[a-z0-9-]+\.)*[a-z0-9-]+\.tsx?$/u.test(
          path.replace(/\d{4}_[a-z_]+/u, "migration")
        )
    )
    expect(odd.map(({ path }) => path)).toEqual([])
  })

  it("is finished: it defers nothing to later", () => {
    const marks = new RegExp(`\\b(?:${["TO", "FIX"].map((start, n) => start + ["DO", "ME"][n]).join("|")})\\b`, "gu")
    expect(houseFiles.flatMap((file) => places(file, marks, "do it now", "text"))).toEqual([])
  })

  it("says nothing of the machine it was written on", () => {
    const host = new RegExp(["/wo", "rk/"].join(""), "gu")
    const more = ["package.json", "package-lock.json", "hub", "README.md", "ARCHITECTURE.md", ".ci/run", "Dockerfile"]
    const texts = more.map((path) => ({ path, text: readFileSync(join(root, path), "utf8"), code: "" }))
    expect([...houseFiles, ...texts].flatMap((file) => places(file, host, "a path of one machine", "text"))).toEqual([])
  })
})

interface Override {
  readonly includes: ReadonlyArray<string>
  readonly linter: { readonly rules: { readonly complexity: { readonly noExcessiveLinesPerFunction?: unknown } } }
}

// Biome counts the lines of functions; biome.json lists the files in which functions are still longer.
describe("the rule that a function has at most 70 lines", () => {
  const { overrides } = JSON.parse(readFileSync(join(root, "biome.json"), "utf8")) as {
    overrides: ReadonlyArray<Override>
  }
  const rule = ({ linter }: Override) => linter.rules.complexity.noExcessiveLinesPerFunction

  it("holds in all that runs", () => {
    const held = overrides.find((one) => rule(one) !== undefined && rule(one) !== "off")
    expect(rule(held!)).toEqual({ level: "error", options: { maxLines: 70 } })
    expect(held!.includes).toEqual(
      ["src", "actors", "http", "bench", "daemon", "publisher", "client", "integrator", "examples", "console"].map(
        (one) => `${one}/**`
      )
    )
  })

  it("excepts no file", () => expect(overrides.filter((one) => rule(one) === "off")).toEqual([]))
})

it("a docstring of what is exported says more than a name does, or is left out", () => {
  const empty = hub.flatMap((file) =>
    [...file.text.matchAll(/^\/\*\* ((?:[^\s`\d]+ ){1,3})\*\/\nexport /gmu)].map((match) =>
      place(file, match.index, match[1]!)
    )
  )
  expect(empty).toEqual([])
})

/** How many files name a word. */
const naming = new Map<string, number>()
for (const { text } of houseFiles)
  for (const word of new Set(text.match(/\w+/gu))) naming.set(word, (naming.get(word) ?? 0) + 1)

// what `@hub/client` exports is read by programs elsewhere; a type may be for the sake of the value that names it
it("an exported value is named by another file", () => {
  const ours = houseFiles.filter(({ path }) => !path.startsWith("client/"))
  const unread = ours.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?(?:const|function\*?|class|enum) (\w+)/gmu)]
      .filter(([, name]) => naming.get(name!) === 1)
      .map(([, name]) => `${path}: ${name}`)
  )
  expect(unread).toEqual([])
})

/** Pronouns that hide who acts. Comments, log lines and errors name a role, or are in the passive. */
it.each(["nobody", "somebody", "anybody", "whoever"])(
  "no text outside the tests says %s: it names a role",
  (pronoun) => {
    const plain = /^(?:src|actors\/(?!daemon\/)|http|bench|daemon|publisher|integrator|console|client)\//u
    const ours = houseFiles.filter(({ path }) => plain.test(path) && !path.includes("/migrations/"))
    const word = new RegExp(`\\b${pronoun}\\b`, "giu")
    expect(ours.flatMap((file) => places(file, word, "name the role", "text"))).toEqual([])
  }
)

it("every test runs, and none alone", () => {
  expect(tests.flatMap((file) => places(file, /\.(?:only|skip|todo|fails)\b(?=\s*[(.<])/gu, "let all run"))).toEqual([])
})

it("every test says what is, never what ought to be", () => {
  const wish = /\b(?:it|test|describe)(?:\.\w+)*\(\s*["'`][^"'`\n]*\bshould\b/gu
  expect(tests.flatMap((file) => places(file, wish, "write a present-tense sentence", "text"))).toEqual([])
})
