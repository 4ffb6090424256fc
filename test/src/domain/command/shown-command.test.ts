/** What is shown of a terminal command: nothing, its first word, or its text without secrets. */
import { describe, expect, it } from "vitest"
import { readCommandsShown, shownCommand, shownOf } from "../../../../src/domain/command/shown-command.ts"
import { newId } from "../../../../src/domain/ids.ts"
import { commandNameCharsMax, commandTextCharsMax, shownAccountsMax } from "../../../../src/limits/audit.ts"

const of = (shown: "off" | "names" | "full", command: unknown, type = "terminal_exec") =>
  shownCommand(shown, type, { command })

describe("what is shown of a terminal command", () => {
  it("is nothing where it is off, of any other command, and of one without a text", () => {
    expect([
      of("off", "ls"),
      of("full", "ls", "send_chat"),
      of("full", 5),
      shownCommand("full", "terminal_exec", null)
    ]).toEqual([undefined, undefined, undefined, undefined])
  })

  it("is the program's name, behind what is set for it, or the text in one line", () => {
    expect([of("names", "  TOKEN=x A=1 npm i -g tool@2"), of("full", "cd /srv\n\u001b[31mnpm  i")]).toEqual([
      "npm",
      "cd /srv [31mnpm  i"
    ])
  })

  it("is without what looks like a secret, and bounded", () => {
    expect(of("full", "curl -H 'Authorization: Bearer abcdefghijklmnop' x")).not.toContain("abcdefghijklmnop")
    expect(of("names", "x".repeat(10_000))).toHaveLength(commandNameCharsMax)
    expect(of("full", "x ".repeat(10_000))!.length).toBeLessThanOrEqual(commandTextCharsMax)
  })
})

describe("how much is shown of whose commands", () => {
  const one = newId("account")

  it("is one word for all, and another for single accounts", () => {
    const read = readCommandsShown(`names, ${one}=full`)!
    expect([shownOf(read, one), shownOf(read, "acc_other")]).toEqual(["full", "names"])
    const alone = readCommandsShown(`${one}=names`)!
    expect([shownOf(alone, one), shownOf(alone, "acc_other")]).toEqual(["names", "off"])
  })

  it(`names ${shownAccountsMax} accounts at most, and is refused where a word is wrong`, () => {
    const many = (count: number) => Array.from({ length: count }, () => `${newId("account")}=full`).join(",")
    expect(readCommandsShown(many(shownAccountsMax))?.accounts.size).toBe(shownAccountsMax)
    const wrong = [
      many(shownAccountsMax + 1),
      "some",
      "off,full",
      `${one}=some`,
      "owner@example.org=full",
      `${one}=full=off`
    ]
    expect(wrong.filter((text) => readCommandsShown(text) !== undefined)).toEqual([])
  })
})
