/**
 * The help: of all commands, of one command or one group of them, and of all as a value. Owns the words around those of
 * cli/grammar.ts.
 */
import { flagLines } from "./arguments.ts"
import { adminCommands, type Command, ownCommands, passedCommands, shortAdminCommands } from "./grammar.ts"
import { integratorWords } from "./integrator-words.ts"

const all: Readonly<Record<string, Command>> = { ...ownCommands, ...adminCommands, ...shortAdminCommands }

const ofOne = (name: string, { says, flags, subject }: Command): string =>
  [
    `usage: hub ${name}${subject === undefined ? "" : ` <${subject}>`}${Object.keys(flags).length === 0 ? "" : " [flags]"}`,
    `  ${says}`,
    ...flagLines(flags)
  ].join("\n")

/** The commands of this name or group (`key create`, `key`); undefined when there are none. */
export const commandHelp = (name: string): string | undefined => {
  const found = Object.entries(all).filter(([one]) => one === name || one.startsWith(`${name} `))
  return found.length === 0 ? undefined : found.map(([one, command]) => ofOne(one, command)).join("\n\n")
}

const widthMax = 120
const commandLine = (name: string, says: string): string => `  ${name.padEnd(11)} ${says}`

/** The commands by what they are for, each by its first word. The last group has all that no other names. */
const groups: ReadonlyArray<readonly [title: string, words: ReadonlyArray<string>]> = [
  ["Run a hub", ["start", "migrate", "backup", "restore", "doctor", "secret", "bench", "demo"]],
  ["Accounts and credentials", ["account", "key", "token", "oauth", "audit", "turn"]],
  ["Machines", ["daemon"]],
  ["Use a hub from here", [...Object.keys(integratorWords), "registry"]],
  ["More", []]
]

const groupOf = (word: string): string => (groups.find(([, words]) => words.includes(word)) ?? groups.at(-1)!)[0]

/** A first word: what it does alone, and the words that may follow it. */
const lineOf = (word: string, passed: string | undefined): string => {
  const alone = all[word]?.says ?? passed
  const verbs = Object.keys(all).flatMap((name) => (name.startsWith(`${word} `) ? [name.slice(word.length + 1)] : []))
  const says = [...(alone === undefined ? [] : [alone]), ...(verbs.length === 0 ? [] : [verbs.join(", ")])].join(
    "; or "
  )
  const line = commandLine(word, says)
  return line.length <= widthMax ? line : `${line.slice(0, widthMax - 2)} …`
}

/** One line per first word, in groups: a screen. The flags are in the help of each command. */
export const helpText = (): string => {
  const words = new Set(Object.keys({ ...all, ...passedCommands }).map((name) => name.split(" ")[0]!))
  const passed: Readonly<Record<string, string>> = passedCommands
  const described: ReadonlyArray<readonly [string, string]> = [
    ...[...words].map((word) => [word, lineOf(word, passed[word])] as const),
    ["client", commandLine("client pack", "build and pack @hub/client, to be installed by npm (./hub alone)")],
    ["test", commandLine("test", "run every test (arguments go to vitest)")]
  ]
  return [
    "usage: hub <command> [flags]",
    ...groups.flatMap(([title]) => [
      "",
      `${title}:`,
      ...described.flatMap(([word, line]) => (groupOf(word) === title ? [line] : []))
    ]),
    "",
    "hub <command> --help shows one command, or all that begin with a word, with their flags; most take --json.",
    "Exit codes: 0 done, 1 refused or failed, 2 not understood, 130 interrupted."
  ].join("\n")
}

/** Every command and its flags. */
export const helpValue = () => ({
  commands: [
    ...Object.entries(all).map(([name, { says, flags }]) => ({
      name,
      says,
      flags: Object.entries(flags).map(([flag, { kind, required, says }]) => ({
        name: flag,
        kind,
        required: required === true,
        says
      }))
    })),
    ...Object.entries(passedCommands).map(([name, says]) => ({ name, says }))
  ]
})
