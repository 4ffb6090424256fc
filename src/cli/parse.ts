/**
 * From arguments to what is asked. Owns the checks of flags and values, so that a slip is told in one sentence before
 * anything is touched; reads no file and no clock but the time it is given.
 */
import { parseArgs } from "node:util"
import { Data, Result } from "effect"
import type { AdminRequest } from "../admin/requests.ts"
import { nearestOf } from "../config/edit-distance.ts"
import { readEmailAddress } from "../domain/account/email-address.ts"
import { isPlan, plans } from "../domain/account/plans.ts"
import { isScope, type Scope, scopes } from "../domain/account/scopes.ts"
import { adminCommands, type Command, type Flag, innerCommands, ownCommands, passedCommands } from "./grammar.ts"

/** The arguments were not understood. */
export class UsageFailed extends Data.TaggedError("UsageFailed")<{ readonly sentence: string }> {}

/** What is asked. */
export type Asked =
  | { readonly kind: "start"; readonly workers: number }
  | { readonly kind: "worker"; readonly number: number }
  | { readonly kind: "migrate"; readonly json: boolean }
  | { readonly kind: "backup" | "restore"; readonly file: string; readonly json: boolean }
  | { readonly kind: "words"; readonly words: "version"; readonly json: boolean }
  /** `of`: one command, or one group of them. */
  | { readonly kind: "words"; readonly words: "help"; readonly json: boolean; readonly of?: string }
  | { readonly kind: "admin"; readonly request: AdminRequest; readonly json: boolean }
  | { readonly kind: "passed"; readonly to: keyof typeof passedCommands; readonly args: ReadonlyArray<string> }

type Values = Readonly<Record<string, string | boolean | undefined>>
type Parsed<A> = Result.Result<A, UsageFailed>

const refuse = (sentence: string): Result.Result<never, UsageFailed> => Result.fail(new UsageFailed({ sentence }))

const commands: Readonly<Record<string, Command>> = { ...ownCommands, ...innerCommands, ...adminCommands }
const alone = { ...ownCommands, ...innerCommands }

const readScopes = (text: string): Parsed<ReadonlyArray<Scope>> => {
  const words = [
    ...new Set(
      text
        .split(",")
        .map((word) => word.trim())
        .filter((word) => word !== "")
    )
  ]
  const bad = words.filter((word) => !isScope(word))
  if (words.length === 0) return refuse(`--scopes is empty; the scopes are ${scopes.join(", ")}`)
  if (bad.length > 0) return refuse(`--scopes: no such scope ${bad.join(", ")}; the scopes are ${scopes.join(", ")}`)
  return Result.succeed(words.filter(isScope))
}

const spans: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const iso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/u

/** A day that does not exist (31 February) is read by Date as one in the next month: the text must come back. */
const existingDay = (text: string): boolean => {
  const [year, month, day] = text.slice(0, 10).split("-").map(Number) as [number, number, number]
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

const readDate = (text: string, now: number): Parsed<number> => {
  const span = /^(\d{1,5})([mhdw])$/u.exec(text)
  const at = span !== null ? now + Number(span[1]) * spans[span[2]!]! : Date.parse(text)
  if (span === null && (!iso.test(text) || Number.isNaN(at) || !existingDay(text))) {
    return refuse(`--expires is not a date: ${text} (write 2030-01-31, 2030-01-31T12:00:00Z or 90d)`)
  }
  return at > now ? Result.succeed(at) : refuse(`--expires lies in the past: ${text}`)
}

const checkFlag = (name: string, flag: Flag, given: string | boolean | undefined): Parsed<undefined> => {
  if (given === undefined)
    return flag.required ? refuse(`--${name} is needed: ${flag.says}`) : Result.succeed(undefined)
  if (typeof given !== "string") return Result.succeed(undefined)
  if (given.trim() === "") return refuse(`--${name} is empty: ${flag.says}`)
  if (flag.kind === "plan" && !isPlan(given))
    return refuse(`--${name}: no such plan ${given}; the plans are ${plans.join(", ")}`)
  if (flag.most !== undefined && !(/^[1-9]\d{0,8}$/u.test(given) && Number(given) <= flag.most)) {
    return refuse(`--${name} must be a whole number from 1 to ${flag.most}: ${given}`)
  }
  const address = flag.kind === "email" ? readEmailAddress(given) : undefined
  if (address !== undefined && Result.isFailure(address)) {
    return refuse(`--${name} is not an e-mail address: it ${address.failure}`)
  }
  return Result.succeed(undefined)
}

const readFlags = (name: string, command: Command, args: ReadonlyArray<string>): Parsed<Values> => {
  const options = Object.fromEntries(
    Object.entries(command.flags).map(([flag, { kind }]) => [
      flag,
      { type: kind === "switch" ? ("boolean" as const) : ("string" as const) }
    ])
  )
  const read = Result.try(() =>
    parseArgs({ args: [...args], options, strict: true, allowPositionals: true, tokens: true })
  )
  if (Result.isFailure(read)) return refuse(explain(name, command, read.failure))
  const seen = read.success.tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []))
  const twice = seen.find((flag, index) => seen.indexOf(flag) !== index)
  if (twice !== undefined) return refuse(`--${twice} is given twice`)
  const values: Record<string, string | boolean | undefined> = { ...read.success.values }
  const [word, ...more] = read.success.positionals
  if (word !== undefined) {
    if (command.subject === undefined || more.length > 0)
      return refuse(`hub ${name} does not take "${more[0] ?? word}"`)
    if (values[command.subject] !== undefined) return refuse(`--${command.subject} is given twice`)
    values[command.subject] = word
  }
  for (const [flag, rule] of Object.entries(command.flags)) {
    const checked = checkFlag(flag, rule, values[flag])
    if (Result.isFailure(checked)) return Result.fail(checked.failure)
  }
  return Result.succeed(values)
}

const explain = (name: string, command: Command, error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error)
  const dashed = /^Option '--([^' ]+)' argument is ambiguous/u.exec(message)?.[1]
  if (dashed !== undefined) {
    const most = command.flags[dashed]?.most
    return most === undefined
      ? `--${dashed} has no value; one that begins with a dash is written --${dashed}=-…`
      : `--${dashed} must be a whole number from 1 to ${most}`
  }
  const unknown = /Unknown option '(-{1,2}[^']*)'/u.exec(message)?.[1]
  if (unknown === undefined) return message.split(". ")[0]!.replace(/ <value>/gu, "")
  const flags = Object.keys(command.flags).map((flag) => `--${flag}`)
  const meant = nearestOf(unknown, flags)
  return `hub ${name} has no flag ${unknown}${meant === undefined ? "" : `; did you mean ${meant}`}${
    flags.length === 0 ? "" : ` (it has ${flags.join(", ")})`
  }`
}

/** The request that an admin command with these values makes. */
const request = (op: string, values: Values, now: number): Parsed<AdminRequest> => {
  const { json: _, expires, scopes: words, ...rest } = values
  if (op === "account create") {
    return Result.succeed({ plan: "free", ...rest, admin: rest["admin"] === true, op } as AdminRequest)
  }
  if (op === "account delete") {
    return Result.succeed({ ...rest, yes: rest["yes"] === true, op } as AdminRequest)
  }
  if (op !== "key create") return Result.succeed({ ...rest, op } as AdminRequest)
  const granted = readScopes(words as string)
  if (Result.isFailure(granted)) return Result.fail(granted.failure)
  const base = { name: "", ...rest, op, scopes: granted.success }
  if (expires === undefined) return Result.succeed(base as AdminRequest)
  return Result.map(readDate(expires as string, now), (expiresAt) => ({ ...base, expiresAt }) as AdminRequest)
}

const unknownCommand = (args: ReadonlyArray<string>): Parsed<never> => {
  const group = Object.keys(commands).filter((name) => name.startsWith(`${args[0]} `))
  if (group.length > 0)
    return refuse(`hub ${args[0]} is followed by one of: ${group.map((name) => name.split(" ")[1]).join(", ")}`)
  const meant = nearestOf(args[0]!, [
    ...Object.keys({ ...ownCommands, ...adminCommands }).map((name) => name.split(" ")[0]!),
    ...Object.keys(passedCommands)
  ])
  return refuse(
    `no such command: ${args[0]}${meant === undefined ? "" : `; did you mean ${meant}`} (hub help lists them)`
  )
}

const help = { kind: "words", words: "help", json: false } as const
const isHelp = (word: string | undefined): boolean => word === "--help" || word === "-h"

/** What these arguments ask. `now` is epoch milliseconds. */
export const parse = (args: ReadonlyArray<string>, now: number): Parsed<Asked> => {
  const [first, second] = args
  if (first === undefined || isHelp(first)) return Result.succeed(help)
  if (first === "--version" || first === "-v") return Result.succeed({ kind: "words", words: "version", json: false })
  if (Object.hasOwn(passedCommands, first)) {
    return Result.succeed({ kind: "passed", to: first as keyof typeof passedCommands, args: args.slice(1) })
  }
  const own = Object.hasOwn(alone, first)
  const name = own ? first : `${first} ${second}`
  const group = Object.keys(commands).some((one) => one.startsWith(`${first} `))
  if (group && isHelp(second)) return Result.succeed({ ...help, of: first })
  if (!Object.hasOwn(commands, name)) return unknownCommand(args)
  const rest = args.slice(own ? 1 : 2)
  if (rest.some(isHelp)) return Result.succeed(first === "help" ? help : { ...help, of: name })
  const values = readFlags(name, commands[name]!, rest)
  if (Result.isFailure(values)) return Result.fail(values.failure)
  const json = values.success["json"] === true
  if (first === "help" || first === "version") return Result.succeed({ kind: "words", words: first, json })
  if (first === "start") return Result.succeed({ kind: first, workers: Number(values.success["workers"] ?? 1) })
  if (first === "worker") return Result.succeed({ kind: first, number: Number(values.success["number"]) })
  if (first === "migrate") return Result.succeed({ kind: first, json })
  if (first === "backup" || first === "restore") {
    return Result.succeed({ kind: first, file: values.success["file"] as string, json })
  }
  return Result.map(request(name, values.success, now), (asked) => ({ kind: "admin", request: asked, json }))
}
