/**
 * Reads the arguments of one command by its flags: of the hub's own commands and of the programs behind the others.
 * Owns the sentences about flags and their lines in the help; knows no command.
 */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util"
import { nearestOf } from "../domain/text/edit-distance.ts"

/** The arguments were not understood; the message is one sentence. */
export class ArgumentError extends Error {}

/** Reads a value that was given; the TypeError of one that does not fit is a mistake of the call. */
export const argued = <A>(read: () => A): A => {
  try {
    return read()
  } catch (error) {
    throw error instanceof TypeError ? new ArgumentError(error.message) : error
  }
}

/** What a flag's value is, in a word of the help. A `switch` takes none. */
export type FlagKind =
  | "text"
  | "email"
  | "plan"
  | "scopes"
  | "date"
  | "number"
  | "url"
  | "file"
  | "folder"
  | "list"
  | "switch"

export interface Flag {
  readonly kind: FlagKind
  readonly required?: true
  /** May be given more than once. */
  readonly many?: true
  /** Empty is a value: what was given before is taken away. */
  readonly mayBeEmpty?: true
  /** Neither in the help nor in a sentence. */
  readonly hidden?: true
  readonly says: string
  /** What is wrong with a value: the end of a sentence that begins with the flag. */
  readonly refuse?: (text: string) => string | undefined
}

/** The flags of one command, by name. */
export type Flags = Readonly<Record<string, Flag>>

/** What one command takes. */
export interface Grammar<F extends Flags> {
  /** The subject of the sentences that refuse. */
  readonly name: string
  readonly flags: F
  /** The flag that a bare word stands for. */
  readonly subject?: string
  /** How many bare words it takes; one where it has a subject, else none. */
  readonly wordsMax?: number
}

type ValueOf<F extends Flag> = F extends { readonly kind: "switch" }
  ? boolean | undefined
  : F extends { readonly many: true }
    ? ReadonlyArray<string> | undefined
    : F extends { readonly required: true }
      ? string
      : string | undefined

/** What was given, by flag. */
export type Values<F extends Flags> = { readonly [K in keyof F]: ValueOf<F[K]> }

/** Refuses what is no whole number from 1 to a bound, or no number above 0. */
export const refuseNumber =
  (whole = true, most?: number) =>
  (text: string): string | undefined => {
    const value = Number(text)
    const fits = value > 0 && Number.isFinite(value) && (!whole || Number.isInteger(value))
    if (most !== undefined)
      return fits && value <= most && /^\d+$/u.test(text)
        ? undefined
        : ` must be a whole number from 1 to ${most}: ${text}`
    return fits ? undefined : ` must be a ${whole ? "whole " : ""}number above 0, not ${text}`
  }

/** Whether the help is asked for; then nothing else of the arguments counts. */
export const asksHelp = (args: ReadonlyArray<string>): boolean =>
  args.some((word) => word === "--help" || word === "-h")

const shown = (flags: Flags) => Object.entries(flags).filter(([, flag]) => flag.hidden !== true)

/** A line of the help per flag. */
export const flagLines = (flags: Flags): ReadonlyArray<string> => {
  const rows = shown(flags).map(([name, { kind, required, says }]) => {
    const usage = `--${name}${kind === "switch" ? "" : ` ${kind.toUpperCase()}`}`
    return [usage, `${says}${required ? " (needed)" : ""}`] as const
  })
  const width = Math.max(0, ...rows.map(([usage]) => usage.length))
  return rows.map(([usage, says]) => `  ${usage.padEnd(width)}  ${says}`)
}

const refuseValue = (name: string, flag: Flag, text: string): void => {
  if (text.trim() === "" && flag.mayBeEmpty !== true) throw new ArgumentError(`--${name} is empty: ${flag.says}`)
  const refusal = flag.refuse?.(text)
  if (refusal !== undefined) throw new ArgumentError(`--${name}${refusal}`)
}

/** Why the parser of Node refused, said in our words. */
const explained = (error: unknown, { name, flags }: Grammar<Flags>, args: ReadonlyArray<string>): ArgumentError => {
  const message = error instanceof Error ? error.message : String(error)
  const dashed = /^Option '--([^' ]+)' argument is ambiguous/u.exec(message)?.[1]
  if (dashed !== undefined) {
    const text = args[args.indexOf(`--${dashed}`) + 1] ?? ""
    const refusal = flags[dashed]?.refuse?.(text)
    const hint = ` has no value; one that begins with a dash is written --${dashed}=-…`
    return new ArgumentError(`--${dashed}${refusal ?? hint}`)
  }
  const unknown = /Unknown option '(-{1,2}[^']*)'/u.exec(message)?.[1]
  if (unknown === undefined) return new ArgumentError(message.split(". ")[0]!.replace(/ <value>/gu, ""))
  const all = shown(flags).map(([flag]) => `--${flag}`)
  const meant = nearestOf(unknown, all)
  const nearest = meant === undefined ? "" : `; did you mean ${meant}`
  return new ArgumentError(
    `${name} has no flag ${unknown}${nearest}${all.length === 0 ? "" : ` (it has ${all.join(", ")})`}`
  )
}

const read = (grammar: Grammar<Flags>, args: ReadonlyArray<string>) => {
  const options: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(grammar.flags).map(([flag, { kind, many }]) => [
      flag,
      { type: kind === "switch" ? ("boolean" as const) : ("string" as const), multiple: many === true }
    ])
  )
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, tokens: true })
  } catch (error) {
    throw explained(error, grammar, args)
  }
}

/** A credential of the hub: it is not said again, wherever it was given. */
const secretShape = /^hub(?:[acdijrst]|dc)?_/u

/** The flags and bare words that were given, each of which fits. Throws ArgumentError. */
export const readArguments = <F extends Flags>(
  grammar: Grammar<F>,
  args: ReadonlyArray<string>
): { readonly values: Values<F>; readonly words: ReadonlyArray<string> } => {
  const { name, flags, subject, wordsMax = subject === undefined ? 0 : 1 } = grammar
  const { values: given, positionals: words, tokens } = read(grammar, args)
  const values: Record<string, unknown> = { ...given }
  const seen = tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []))
  if (subject !== undefined && words[0] !== undefined) {
    seen.push(subject)
    values[subject] ??= words[0]
  }
  const [unread] = words.slice(wordsMax)
  if (unread !== undefined && secretShape.test(unread))
    throw new ArgumentError(`${name} takes no key or token as a word, which the shell's history keeps: pipe it in`)
  if (unread !== undefined) throw new ArgumentError(`${name} does not take "${unread}"`)
  const twice = seen.find((flag, at) => flags[flag]!.many !== true && seen.indexOf(flag) !== at)
  if (twice !== undefined) throw new ArgumentError(`--${twice} is given twice`)
  for (const [flag, rule] of Object.entries(flags)) {
    if (values[flag] === undefined && rule.required) throw new ArgumentError(`--${flag} is needed: ${rule.says}`)
    for (const text of [values[flag]].flat()) if (typeof text === "string") refuseValue(flag, rule, text)
  }
  return { values: values as Values<F>, words }
}
