/**
 * From the arguments of the command line to what they ask. Owns which command is meant and the request it makes, so
 * that a mistake is told in one sentence before anything is touched; reads no file, and no clock but the time given.
 */
import { Data, Result } from "effect"
import type { AdminRequest } from "../admin/requests.ts"
import { readKeySelector } from "../domain/account/key-selector.ts"
import { isScope, type Scope, scopes } from "../domain/account/scopes.ts"
import { nearestOf } from "../domain/text/edit-distance.ts"
import { ArgumentError, asksHelp, readArguments } from "./arguments.ts"
import {
  adminCommands,
  type Command,
  innerCommands,
  ownCommands,
  passedCommands,
  shortAdminCommands
} from "./grammar.ts"
import { readTimePast, readTimeToCome } from "./points-in-time.ts"

/** The arguments were not understood. */
export class UsageFailed extends Data.TaggedError("UsageFailed")<{ readonly sentence: string }> {}

export type ParsedCommand =
  | { readonly kind: "start"; readonly workers: number }
  | { readonly kind: "worker"; readonly number: number }
  | { readonly kind: "migrate" | "doctor"; readonly json: boolean }
  | { readonly kind: "backup" | "restore"; readonly file: string; readonly json: boolean }
  | { readonly kind: "words"; readonly words: "version"; readonly json: boolean }
  /** `of`: one command, or one group of them. */
  | { readonly kind: "words"; readonly words: "help"; readonly json: boolean; readonly of?: string }
  | { readonly kind: "admin"; readonly request: AdminRequest; readonly json: boolean }
  | { readonly kind: "passed"; readonly to: keyof typeof passedCommands; readonly args: ReadonlyArray<string> }

type FlagValues = Readonly<Record<string, string | number | boolean | ReadonlyArray<string> | undefined>>

const commands: Readonly<Record<string, Command>> = {
  ...ownCommands,
  ...innerCommands,
  ...adminCommands,
  ...shortAdminCommands
}
const alone = { ...ownCommands, ...innerCommands, ...shortAdminCommands }

const readScopes = (text: string): ReadonlyArray<Scope> => {
  const words = new Set(text.split(",").map((word) => word.trim()))
  words.delete("")
  const bad = [...words].filter((word) => !isScope(word))
  if (words.size === 0) throw new ArgumentError(`--scopes is empty; the scopes are ${scopes.join(", ")}`)
  if (bad.length > 0)
    throw new ArgumentError(`--scopes: no such scope ${bad.join(", ")}; the scopes are ${scopes.join(", ")}`)
  return [...words].filter(isScope)
}

/** The one way to write the selector of a new key; undefined: it is bound to nothing. */
const keySelector = (text: string | undefined, granted: ReadonlyArray<Scope>): string | undefined => {
  const read = readKeySelector(text, granted)
  if (Result.isSuccess(read)) return read.success ?? undefined
  throw new ArgumentError(`--selector: ${read.failure.issues.map(({ message }) => message).join("; ")}`)
}

/** The filter of `hub daemon list`. */
const daemonFilter = (given: FlagValues, now: number): FlagValues => {
  const { online, offline, "seen-since": since, "seen-before": before, "close-reason": reason, ...rest } = given
  const { "close-code": code, "identity-copied": copied, ...same } = rest
  if (online === true && offline === true) throw new ArgumentError("name either --online or --offline")
  return {
    ...same,
    ...((online === true || offline === true) && { online: online === true }),
    ...(since !== undefined && { seenSince: readTimePast("seen-since", since as string, now) }),
    ...(before !== undefined && { seenBefore: readTimePast("seen-before", before as string, now) }),
    ...(reason !== undefined && { closeReason: reason }),
    ...(code !== undefined && { closeCode: Number(code) }),
    ...(copied === true && { identityCopied: true })
  }
}

/** The request that an admin command with these values makes. */
const request = (op: string, given: FlagValues, now: number): AdminRequest => {
  const { json: _, expires, scopes: words, selector: tags, ...rest } = given
  const base = { ...rest, op }
  if (op === "account create") return { plan: "free", ...base, admin: rest["admin"] === true } as AdminRequest
  if (op === "account admin") return { ...base, admin: rest["admin"] === "on" } as AdminRequest
  if (op === "daemon list") return { ...daemonFilter(rest, now), op } as AdminRequest
  if (op === "oauth client add") {
    const { "redirect-uri": redirectUris, secret, name } = rest
    return { op, name, redirectUris, secret: secret === true } as AdminRequest
  }
  if (op === "account delete") return { ...base, yes: rest["yes"] === true } as AdminRequest
  if (op !== "key create") return base as AdminRequest
  const granted = readScopes(words as string)
  const selector = keySelector(tags as string | undefined, granted)
  return {
    name: "",
    ...base,
    scopes: granted,
    ...(expires !== undefined && { expiresAt: readTimeToCome("expires", expires as string, now) }),
    ...(selector !== undefined && { selector })
  } as AdminRequest
}

const auditRequest = ({ json: _, since, until, ...rest }: FlagValues, now: number): AdminRequest => {
  const past = (name: "since" | "until", text: FlagValues[string]) =>
    text === undefined ? {} : { [name]: Math.max(0, readTimePast(name, text as string, now)) }
  return { ...rest, op: "audit list", ...past("since", since), ...past("until", until) } as AdminRequest
}

const didYouMean = (meant: string | undefined): string => (meant === undefined ? "" : `; did you mean ${meant}`)

const unknownCommand = (first: string, second: string | undefined): ArgumentError => {
  const verbs = Object.keys(commands).flatMap((name) =>
    name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []
  )
  if (verbs.length > 0) {
    const meant = second === undefined ? undefined : nearestOf(second, verbs)
    return new ArgumentError(`hub ${first} is followed by one of: ${verbs.join(", ")}${didYouMean(meant)}`)
  }
  const known = Object.keys({ ...ownCommands, ...adminCommands, ...shortAdminCommands }).map(
    (name) => name.split(" ")[0]!
  )
  const meant = nearestOf(first, [...known, ...Object.keys(passedCommands)])
  return new ArgumentError(`no such command: ${first}${didYouMean(meant)} (hub help lists them)`)
}

/** Whether a bare word after a passed command (`hub daemon list`) names a command of the administrator. */
const isAdminCommandBeside = (first: string, second: string | undefined): boolean =>
  second !== undefined &&
  !second.startsWith("-") &&
  Object.keys(adminCommands).some((name) => name.startsWith(`${first} `))

const help = { kind: "words", words: "help", json: false } as const

/** `hub oauth client` is followed by a verb, as one word is elsewhere. */
const joined = ([first = "", second, ...rest]: ReadonlyArray<string>): ReadonlyArray<string> => [
  `${first} ${second}`,
  ...rest
]

const read = (given: ReadonlyArray<string>, now: number): ParsedCommand => {
  const args = given[0] === "oauth" && given[1] === "client" ? joined(given) : given
  const [first, second] = args
  if (first === undefined || asksHelp([first])) return help
  if (first === "--version" || first === "-v") return { kind: "words", words: "version", json: false }
  if (Object.hasOwn(passedCommands, first) && !isAdminCommandBeside(first, second))
    return { kind: "passed", to: first as keyof typeof passedCommands, args: args.slice(1) }
  const own = Object.hasOwn(alone, first)
  const name = own ? first : `${first} ${second}`
  const group = Object.keys(commands).some((one) => one.startsWith(`${first} `))
  if (group && second !== undefined && asksHelp([second])) return { ...help, of: first }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) throw unknownCommand(first, second)
  const rest = args.slice(own ? 1 : 2)
  if (asksHelp(rest)) return first === "help" ? help : { ...help, of: name }
  const values: FlagValues = readArguments({ ...command, name: `hub ${name}` }, rest).values
  const json = values["json"] === true
  if (first === "help" || first === "version") return { kind: "words", words: first, json }
  if (first === "start") return { kind: first, workers: Number(values["workers"] ?? 1) }
  if (first === "worker") return { kind: first, number: Number(values["number"]) }
  if (first === "migrate" || first === "doctor") return { kind: first, json }
  if (first === "backup" || first === "restore") return { kind: first, file: values["file"] as string, json }
  if (first === "audit") return { kind: "admin", request: auditRequest(values, now), json }
  return { kind: "admin", request: request(name, values, now), json }
}

/** What these arguments ask. `now` is epoch milliseconds. */
export const parse = (args: ReadonlyArray<string>, now: number): Result.Result<ParsedCommand, UsageFailed> =>
  Result.try({
    try: () => read(args, now),
    catch: (error) => {
      if (error instanceof ArgumentError) return new UsageFailed({ sentence: error.message })
      throw error
    }
  })
