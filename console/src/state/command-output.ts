/** What a terminal command writes, as its stream tells it. Pure; owns the bound and what is not for a page. */
import type { Streamed } from "@hub/client"
import { outputCharsMax } from "../limits.ts"
import { lastCharacters } from "../visible.ts"

/** The output so far. */
export interface CommandOutput {
  readonly text: string
  /** Whether its beginning was left out. */
  readonly cut: boolean
}

/** Before the first event. */
export const noOutput: CommandOutput = { text: "", cut: false }

// colours and the moving of a cursor mean nothing on a page
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const terminalCodes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/gu

/** The output after more text; at the bound its beginning goes. */
export const withText = ({ text, cut }: CommandOutput, more: string): CommandOutput => {
  const all = text + more.replace(terminalCodes, "").replace(/\r\n/gu, "\n")
  return all.length > outputCharsMax ? { text: lastCharacters(all, outputCharsMax), cut: true } : { text: all, cut }
}

/** The output after an event of the stream. */
export const afterOutput = (output: CommandOutput, event: Streamed<"commands.outputStream">): CommandOutput =>
  event.type === "output" && typeof event["text"] === "string" ? withText(output, event["text"]) : output
