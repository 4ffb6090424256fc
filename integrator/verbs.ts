/**
 * Commands with verbs: `hub job start`. Owns how one is found, its help, and what each is given: the saved login, its
 * client, and the owner's session where a call wants a person. Each file beside has the verbs of one subject.
 */
import { createClient, type HubClient } from "../client/src/index.ts"
import { ArgumentError, asksHelp, type Flags, flagLines, readArguments, type Values } from "../src/cli/arguments.ts"
import { nearestOf } from "../src/domain/text/edit-distance.ts"
import { type Profile, profileOf } from "./profiles.ts"
import { refusing } from "./refusal.ts"
import { signedIn } from "./sign-in.ts"
import type { Terminal } from "./terminal.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** What a verb is run with. */
export interface Caller {
  readonly profile: Profile
  readonly terminal: Terminal
  /** `--json` was given. */
  readonly json: boolean
  /** One call with the saved key; its failure ends the command. */
  readonly withKey: <A>(use: (client: HubClient) => PromiseLike<A>) => Promise<A>
  /** One call as the owner, who is asked to sign in where no session is kept. `to`: "change a webhook". */
  readonly asOwner: <A>(to: string, use: (client: HubClient) => PromiseLike<A>) => Promise<A>
  /** Prints a value as JSON with `--json`, else as these lines. */
  readonly show: <A>(value: A, lines: (value: A) => ReadonlyArray<string>) => void
}

/** One verb. Its run gives `false` where what was asked for ended badly, though the hub did it. */
export interface Verb<F extends Flags = Flags> {
  /** What follows the verb: `JOB [--follow]`. */
  readonly usage: string
  readonly says: string
  /** How many bare words it takes at least and at most. */
  readonly words: readonly [least: number, most: number]
  readonly flags: F
  readonly run: (given: Values<F>, words: ReadonlyArray<string>, caller: Caller) => Promise<unknown>
}

/** For a call that makes a secret: the repeat of an answer that was lost would lack it. */
export const shownOnce = { idempotencyKey: false } as const

/** The verbs of one subject. */
export type Verbs = Readonly<Record<string, Verb>>

/** A verb whose values are typed by its flags. */
export const verb = <F extends Flags>(one: Verb<F>): Verb => one as unknown as Verb

const everyVerb = {
  profile: { kind: "text", says: "the name of a saved login (default: default)" },
  json: { kind: "switch", says: "print what the hub answers, one JSON value a line" }
} as const satisfies Flags

const callerOf = (given: Values<typeof everyVerb>, environment: Environment, terminal: Terminal): Caller => {
  const profile = profileOf(given.profile, environment)
  const json = given.json === true
  const { url, key } = profile
  return {
    profile,
    terminal,
    json,
    withKey: (use) => refusing(url, use(createClient({ url, credential: key }))),
    asOwner: (to, use) => signedIn(profile, { to }, { environment, terminal }, (client) => refusing(url, use(client))),
    show: (value, lines) => {
      if (json) terminal.sayJson(value)
      else for (const line of lines(value)) terminal.say(line)
    }
  }
}

const helpOf = (command: string, name: string, { usage, says, flags }: Verb): string =>
  [
    `usage: hub ${command} ${name} ${usage}`.trimEnd(),
    `       ${says}`,
    "",
    ...flagLines({ ...flags, ...everyVerb })
  ].join("\n")

const listOf = (command: string, verbs: Verbs): string => {
  const rows = Object.entries(verbs).map(
    ([name, { usage, says }]) => [`hub ${command} ${name} ${usage}`.trimEnd(), says] as const
  )
  return rows.map(([usage, says]) => `${usage}\n    ${says}`).join("\n")
}

const wordCountOf = ([least, most]: Verb["words"], count: number): boolean => count >= least && count <= most

/** Runs the verb that the arguments begin with; gives whether all went well. */
export const runVerb = async (
  command: string,
  verbs: Verbs,
  args: ReadonlyArray<string>,
  environment: Environment,
  terminal: Terminal
): Promise<boolean> => {
  const [name = "", ...rest] = args
  const found = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (asksHelp(args)) {
    terminal.say(found === undefined ? listOf(command, verbs) : helpOf(command, name, found))
    return true
  }
  if (found === undefined) {
    const meant = nearestOf(name, Object.keys(verbs))
    const nearest = meant === undefined ? "" : `; did you mean ${meant}`
    throw new ArgumentError(`hub ${command} is followed by one of: ${Object.keys(verbs).join(", ")}${nearest}`)
  }
  const grammar = { name: `hub ${command} ${name}`, wordsMax: found.words[1], flags: { ...found.flags, ...everyVerb } }
  const { values, words } = readArguments(grammar, rest)
  if (!wordCountOf(found.words, words.length))
    throw new ArgumentError(`usage: hub ${command} ${name} ${found.usage}`.trimEnd())
  return (await found.run(values, words, callerOf(values as never, environment, terminal))) !== false
}
