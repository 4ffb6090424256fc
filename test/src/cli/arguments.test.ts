/** How every command of the project reads its arguments, whatever its flags are. */
import { describe, expect, it } from "vitest"
import {
  ArgumentError,
  asksHelp,
  type Flags,
  flagLines,
  readArguments,
  refuseNumber
} from "../../../src/cli/arguments.ts"
import { fc, forAll } from "../../support/properties.ts"

const flags = {
  url: { kind: "url", required: true, says: "the hub" },
  pid: { kind: "number", many: true, says: "a process", refuse: refuseNumber() },
  share: { kind: "number", says: "a share", refuse: refuseNumber(false) },
  token: { kind: "text", says: "a token" },
  keep: { kind: "switch", says: "leave it running" },
  secret: { kind: "switch", hidden: true, says: "for the tests" }
} satisfies Flags

const read = (line: string, wordsMax = 0) => readArguments({ name: "it", flags, wordsMax }, line.split(" "))
const refusal = (line: string): string => {
  try {
    return `understood: ${JSON.stringify(read(line))}`
  } catch (error) {
    if (error instanceof ArgumentError) return error.message
    throw error
  }
}

describe("arguments", () => {
  it("give a text per flag, a list of a flag that may be repeated, true of a switch, and the bare words", () => {
    const { values, words } = read("a --url=u --pid 1 --pid 2 --keep b", 2)
    expect(values).toEqual({ url: "u", pid: ["1", "2"], keep: true })
    expect(words).toEqual(["a", "b"])
  })

  it.each([
    ["--url u --url v", "--url is given twice"],
    ["--keep", "--url is needed: the hub"],
    ["--url=", "--url is empty: the hub"],
    ["--url u word", 'it does not take "word"'],
    ["--url u --pid 1 --pid x", "--pid must be a whole number above 0, not x"],
    ["--url u --pid -1", "--pid must be a whole number above 0, not -1"],
    ["--url u --share 0", "--share must be a number above 0, not 0"],
    ["--url u --token -t", "--token has no value; one that begins with a dash is written --token=-…"],
    ["--url u --keep=yes", "Option '--keep' does not take an argument"],
    ["--url u --toke t", "it has no flag --toke; did you mean --token (it has --url, --pid, --share, --token, --keep)"],
    ["--url u -x", "it has no flag -x (it has --url, --pid, --share, --token, --keep)"]
  ])("are refused with one sentence: %s", (line, sentence) => expect(refusal(line)).toBe(sentence))

  it("of any kind are either understood or refused with a sentence", () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom("--url", "--pid", "--keep", "--keep=1", "--", "-u", "--url=x", "1")
    )
    forAll(fc.array(word, { maxLength: 6 }), (args) => {
      try {
        return readArguments({ name: "it", flags, wordsMax: 2 }, args).values.url !== undefined
      } catch (error) {
        return error instanceof ArgumentError && error.message !== ""
      }
    })
  })

  it("ask for the help wherever --help or -h stands", () =>
    expect([asksHelp(["a", "--help"]), asksHelp(["-h", "b"]), asksHelp(["help"])]).toEqual([true, true, false]))

  it("are listed in the help in columns, without those that are hidden", () => {
    expect(flagLines(flags)).toEqual([
      "  --url URL       the hub (needed)",
      "  --pid NUMBER    a process",
      "  --share NUMBER  a share",
      "  --token TEXT    a token",
      "  --keep          leave it running"
    ])
    expect(flagLines({})).toEqual([])
  })
})
