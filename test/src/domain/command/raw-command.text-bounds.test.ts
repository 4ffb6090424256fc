/** How long the words of callers may be, and how many candidates an answer names: at each bound, and one beyond. */
import { Result } from "effect"
import { expect, it } from "vitest"
import { readRawCommand } from "../../../../src/domain/command/raw-command.ts"
import { readTerminal } from "../../../../src/domain/command/terminal.ts"
import { toWrite } from "../../../../src/domain/daemon/target-resolution.ts"
import { isPackageVersion } from "../../../../src/domain/registry/packages.ts"
import { candidatesMax, packageVersionCharsMax, pathCharsMax, wordCharsMax } from "../../../../src/limits.ts"
import { session, snapshot } from "../../../support/snapshots.ts"

const raw = (payload: Record<string, unknown>) =>
  Result.isSuccess(readRawCommand("launch_cli", { cliType: "codex", ...payload }))
const terminal = (more: object) => Result.isSuccess(readTerminal({ command: "ls", ...more }))
const word = (chars: number) => "w".repeat(chars)

it(`a word of a caller has ${wordCharsMax} characters at most`, () => {
  expect(["cliType", "model"].map((name) => raw({ [name]: word(wordCharsMax) }))).toEqual([true, true])
  expect(["cliType", "model"].map((name) => raw({ [name]: word(wordCharsMax + 1) }))).toEqual([false, false])
  expect([wordCharsMax, wordCharsMax + 1].map((chars) => terminal({ name: word(chars) }))).toEqual([true, false])
})

it(`a folder has ${pathCharsMax} characters at most`, () => {
  expect([pathCharsMax, pathCharsMax + 1].map((chars) => raw({ dir: word(chars) }))).toEqual([true, false])
  expect([pathCharsMax, pathCharsMax + 1].map((chars) => terminal({ cwd: word(chars) }))).toEqual([true, false])
})

it(`a version has ${packageVersionCharsMax} characters at most`, () => {
  const version = (chars: number) => `1.0.0-${word(chars - "1.0.0-".length)}`
  const lengths = [packageVersionCharsMax, packageVersionCharsMax + 1]
  expect(lengths.map((chars) => isPackageVersion(version(chars)))).toEqual([true, false])
})

it(`the candidates of an ambiguous target are named up to ${candidatesMax}`, () => {
  const sessions = Array.from({ length: candidatesMax + 1 }, (_, nth) => session(`s${nth}`))
  const found = Result.getOrThrow(Result.flip(toWrite(snapshot(sessions), { daemonId: "d", kind: "daemon" })))
  expect(found).toMatchObject({ _tag: "AmbiguousTarget" })
  expect((found as { readonly candidates: ReadonlyArray<string> }).candidates).toHaveLength(candidatesMax)
})
