/** What may be said to an agent, started, stopped and run, and how answers are passed on. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { chatView, readChatInput } from "../../../../src/domain/command/chat.ts"
import { knownCategory, launchCommand, stopCommand } from "../../../../src/domain/command/launch.ts"
import { readTerminal, terminalResult } from "../../../../src/domain/command/terminal.ts"
import { cutToBytes, cutToChars } from "../../../../src/domain/text/truncate.ts"
import {
  chatPartsMax,
  chatTextBytesMax,
  terminalCommandBytesMax,
  terminalOutputBytesMax
} from "../../../../src/limits.ts"
import { anyText, fc, forAll } from "../../../support/properties.ts"
import { ide, session, snapshot } from "../../../support/snapshots.ts"

const said = (given: Parameters<typeof readChatInput>[0]) => {
  const read = readChatInput(given)
  if (Result.isSuccess(read)) return read.success
  return read.failure._tag === "ValidationFailed" ? read.failure.issues[0]!.path : read.failure
}
const part = (text: string) => ({ type: "text", text })

describe("chat input", () => {
  const hello = { message: "hi", input: { parts: [part("hi")], textFallback: "hi" } }
  it("is the same for a daemon whichever form was used", () => {
    expect(said({ message: "hi" })).toEqual(hello)
    expect(said({ input: { parts: [part("hi")], textFallback: "hi" } })).toEqual(hello)
    expect(said({ input: { parts: [part("hi")] } })).toEqual(hello)
    expect(said({ input: { textFallback: "hi" } })).toEqual(hello)
  })
  it("takes input over message", () => {
    expect(said({ message: "no", input: { textFallback: "hi" } })).toEqual(hello)
    expect(said({ message: "no", input: { parts: [] } })).toBe("input")
  })
  it("joins its parts by lines where no fallback is given", () =>
    expect(said({ input: { parts: [part("a"), part("b")] } })).toMatchObject({ message: "a\nb" }))
  it("is refused when it says nothing", () => {
    expect(said({})).toBe("message")
    expect(said({ message: " \n" })).toBe("message")
    expect(said({ input: {} })).toBe("input")
    expect(said({ input: { parts: [part(" ")], textFallback: "\t" } })).toBe("input")
  })
  it("is refused with a part of an unknown type, without a text, or with too many parts", () => {
    expect(said({ input: { parts: [part("a"), { type: "image" }] } })).toBe("input.parts.1.type")
    expect(said({ input: { parts: [{ type: "text" }] } })).toBe("input.parts.0.text")
    expect(said({ input: { parts: Array.from({ length: chatPartsMax + 1 }, () => part("a")) } })).toBe("input.parts")
  })
  it("may be 256 KiB of UTF-8 and not a byte more", () => {
    const text = "ä".repeat(chatTextBytesMax / 2)
    expect(said({ message: text })).toMatchObject({ message: text })
    expect(said({ message: `${text}a` })).toMatchObject({ _tag: "PayloadTooLarge", limit: chatTextBytesMax })
    expect(said({ input: { parts: [part(text), part("a")], textFallback: "a" } })).toMatchObject({
      _tag: "PayloadTooLarge"
    })
  })
})

it("a chat that is read is passed on as it is, without members of the wrong kind and without inventing any", () => {
  expect(chatView({ messages: [1], status: "idle", more: 1 })).toEqual({ messages: [1], status: "idle", more: 1 })
  expect(chatView({ messages: "x", status: 1, title: null, activeModal: [], more: 1 })).toEqual({ more: 1 })
})

describe("what launches and stops a type", () => {
  const daemon = snapshot([ide("w"), session("g", { providerType: "goose", transport: "acp" })], {
    availableProviders: [
      { type: "both", category: "ide", installed: false },
      { type: "both", category: "cli" },
      { type: "zed", category: "ide" },
      { type: "absent", category: "ide", installed: false },
      { type: "ext", category: "extension" }
    ]
  })
  it.each([
    ["zed", "ide"],
    ["both", "cli"],
    ["absent", "ide"],
    ["cursor", "ide"],
    ["goose", "acp"],
    ["ext", undefined],
    ["unheard", undefined]
  ])("is known of %s as %s", (type, category) => expect(knownCategory(daemon, type)).toBe(category))
  it("is an IDE's command for an IDE and a CLI's for all else", () => {
    expect(launchCommand({ type: "zed" }, "ide")).toEqual({ type: "launch_ide", payload: { ideType: "zed" } })
    expect(launchCommand({ type: "x" }, undefined)).toEqual({ type: "launch_cli", payload: { cliType: "x" } })
    expect(stopCommand("zed", "ide")).toEqual({ type: "stop_ide", payload: { ideType: "zed" } })
    expect(stopCommand("x", undefined)).toEqual({ type: "stop_cli", payload: { cliType: "x" } })
  })
  it.each([
    ["ide", "ideType"],
    ["cli", "cliType"],
    ["acp", "cliType"],
    [undefined, "cliType"]
  ])(
    "gives the folder and the model on where the category is %s, the model under both of its names",
    (category, key) => {
      const { payload } = launchCommand({ type: "x", dir: "/x", model: "m" }, category)
      expect(payload).toEqual({ [key]: "x", dir: "/x", model: "m", initialModel: "m" })
      expect(launchCommand({ type: "x", dir: "/x" }, category).payload).toEqual({ [key]: "x", dir: "/x" })
    }
  )
})

describe("a terminal command", () => {
  it("is refused blank and beyond 32 KiB, and passes with what it names", () => {
    for (const command of ["", " \t", "x".repeat(terminalCommandBytesMax + 1)])
      expect(Result.isFailure(readTerminal({ command }))).toBe(true)
    const whole = { command: "x".repeat(terminalCommandBytesMax), name: "n", cwd: "/" }
    expect(readTerminal(whole)).toEqual(Result.succeed(whole))
    expect(readTerminal({ command: "ls" })).toEqual(Result.succeed({ command: "ls" }))
  })
  it("gives at most 1 MiB of output, each stream at least half of it, and says so", () => {
    const much = "ü".repeat(terminalOutputBytesMax)
    const both = terminalResult({ exitCode: 0, stdout: much, stderr: much, durationMs: 3 })
    expect(Buffer.byteLength(both.stdout)).toBe(terminalOutputBytesMax / 2)
    expect(Buffer.byteLength(both.stderr)).toBe(terminalOutputBytesMax / 2)
    expect(both).toMatchObject({ exitCode: 0, durationMs: 3, truncated: true })
    const one = terminalResult({ stdout: much, stderr: "err" })
    expect(Buffer.byteLength(one.stdout) + Buffer.byteLength(one.stderr)).toBeLessThanOrEqual(terminalOutputBytesMax)
    expect(one.stderr).toBe("err")
    const other = terminalResult({ stdout: "out", stderr: much })
    expect(other.stdout).toBe("out")
    expect(Buffer.byteLength(other.stderr)).toBeGreaterThan(terminalOutputBytesMax - 10)
  })
  it("passes small output whole, and the daemon's own mark of a cut", () => {
    expect(terminalResult({ exitCode: 1, stdout: "a", stderr: "b", durationMs: 1, truncated: true })).toEqual({
      exitCode: 1,
      stdout: "a",
      stderr: "b",
      durationMs: 1,
      truncated: true
    })
  })
  it.each([
    [-1e308, -1.5e300, 0, -2_147_483_648],
    [1e308, 1e308, 86_400_000, 4_294_967_295],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 86_400_000, -2_147_483_648],
    [-0.5, -0, 0, 0],
    [12.7, 127, 12, 127]
  ])("a duration of %d and an exit code of %d are %i and %i", (durationMs, exitCode, millis, code) =>
    expect(terminalResult({ durationMs, exitCode })).toMatchObject({ durationMs: millis, exitCode: code })
  )

  it("does not invent what a daemon leaves out or says in the wrong kind", () => {
    expect(terminalResult({ exitCode: "0", stdout: 7, durationMs: Number.NaN })).toEqual({
      exitCode: null,
      stdout: "",
      stderr: "",
      durationMs: null,
      truncated: false
    })
  })
})

it("a text that is cut keeps whole characters and never more than the bound", () =>
  forAll(anyText({ maxLength: 60 }), fc.nat(80), (text, bound) => {
    const bytes = cutToBytes(text, bound)
    expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(bound)
    expect(text.startsWith(bytes)).toBe(true)
    const chars = cutToChars(text, bound)
    expect(chars.length).toBeLessThanOrEqual(bound)
    expect(chars.isWellFormed()).toBe(true)
  }))
