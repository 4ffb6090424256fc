/**
 * The providers file: the agent programs of this computer. Owns its reading and validation; starts nothing. Example:
 * `[{"type": "my-agent", "category": "acp", "command": "my-agent", "args": ["--acp"]}]`
 */
import { dirname } from "node:path"
import { providersMax } from "./limits.ts"
import { FileUnusable, textOfFile, words } from "./refusal.ts"

/** One agent program that speaks the Agent Client Protocol over its stdio. */
export interface Provider {
  readonly type: string
  /** Under which heading it is listed: `cli` or `acp`. */
  readonly category: "cli" | "acp"
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly displayName: string
  /** A `command` that is a relative path is meant from here: the folder of the file. */
  readonly from: string
}

/** The file does not fit: what is wrong, in words. */
class ProvidersInvalid extends FileUnusable {
  override readonly name = "ProvidersInvalid"
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== ""

const provider = (value: unknown, place: string, from: string): Provider => {
  const fault = (what: string): never => {
    throw new ProvidersInvalid(`${place}: ${what}`)
  }
  if (typeof value !== "object" || value === null) return fault("must be an object")
  const row = value as Record<string, unknown>
  if (!isText(row["type"]) || !/^[a-z0-9][a-z0-9._-]{0,63}$/u.test(row["type"])) {
    return fault("`type` must be lower-case letters, digits, `.`, `_`, `-`, at most 64")
  }
  const category = row["category"]
  if (category !== "cli" && category !== "acp") return fault("`category` must be `cli` or `acp`")
  if (!isText(row["command"])) return fault("`command` is missing")
  const args = row["args"] ?? []
  if (!Array.isArray(args) || !args.every((one) => typeof one === "string"))
    return fault("`args` must be a list of texts")
  const displayName = row["displayName"] ?? row["type"]
  if (!isText(displayName)) return fault("`displayName` must be text")
  return { type: row["type"], category, command: row["command"], args, displayName, from }
}

/** Providers from the text of a file. */
export const parseProviders = (text: string, from: string): ReadonlyArray<Provider> => {
  let rows: unknown
  try {
    rows = JSON.parse(text)
  } catch (error) {
    throw new ProvidersInvalid(`is not JSON: ${words(error)}`)
  }
  if (!Array.isArray(rows)) throw new ProvidersInvalid("must be a list")
  if (rows.length > providersMax) throw new ProvidersInvalid(`names more than ${providersMax} providers`)
  const read = rows.map((row, at) => provider(row, `entry ${at + 1}`, from))
  const twice = read.find((one, at) => read.findIndex((other) => other.type === one.type) !== at)
  if (twice !== undefined) throw new ProvidersInvalid(`names \`${twice.type}\` twice`)
  return read
}

/** Providers from a file. */
export const readProviders = (file: string): ReadonlyArray<Provider> => {
  const text = textOfFile("the providers file", file)
  try {
    return parseProviders(text, dirname(file))
  } catch (error) {
    throw new ProvidersInvalid(`the providers file ${file} ${words(error)}`)
  }
}
