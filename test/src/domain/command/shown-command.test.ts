/** What is shown of a terminal command: nothing, its first word, or its text without secrets. */
import { describe, expect, it } from "vitest"
import { shownCommand } from "../../../../src/domain/command/shown-command.ts"
import { commandNameCharsMax, commandTextCharsMax } from "../../../../src/limits/audit.ts"

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
